package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** Who writes a volume, since when (ms since 1970) and under which mount epoch. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WriterRecord(
    String holder, long since, long mountEpoch) {}
