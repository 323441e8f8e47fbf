package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * The last mount that has found a volume whole: the regions' roots together gave the volume root
 * (paper §4.4, phase 4). Immutable.
 *
 * @param volume the volume's id
 * @param mountEpoch the number of the mount
 * @param at the time of that, in ms since 1970
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ConfirmedRecord(long volume, long mountEpoch, long at) {}
