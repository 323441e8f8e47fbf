package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** A volume as created; sizes in bytes, {@code id} 16 hex digits. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeRecord(
    String name, String id, int blockSize, long blockCount, int regionCount, long regionBlocks, int stripeBlocks,
    boolean synced, long segmentBytes) {}
