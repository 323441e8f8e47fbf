package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * The last mount that has found a volume whole: the regions' roots together gave the volume root
 * (paper §4.4, phase 4). Immutable.
 *
 * @param volume the volume's id
 * @param mountEpoch the number of the mount
 * @param at the time of that, in ms since 1970
 * @param prefix if acknowledged changes were lost: the seq up to which the volume is there; else 0
 * @param acked if acknowledged changes were lost: the seq up to which they were acknowledged; else
 *     0
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ConfirmedRecord(long volume, long mountEpoch, long at, long prefix, long acked) {

  /** How many acknowledged changes the mount found lost. */
  public long wentBackBy() {
    return acked - prefix;
  }
}
