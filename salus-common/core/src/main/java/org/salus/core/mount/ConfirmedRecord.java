package org.salus.core.mount;

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
 * @param byUser the last such mount that a user had, and under which changes may have been
 *     acknowledged; 0 if none is known. Null stands for {@code mountEpoch}: older records do not
 *     tell the master's mounts apart
 */
public record ConfirmedRecord(
    long volume, long mountEpoch, long at, long prefix, long acked, Long byUser) {
  /** Fills in what older records lack. */
  public ConfirmedRecord {
    byUser = byUser == null ? (Long) mountEpoch : byUser;
  }

  /** Nothing is known of a volume. */
  public static ConfirmedRecord none(long volume) {
    return new ConfirmedRecord(volume, 0, 0, 0, 0, 0L);
  }

  /** How many acknowledged changes the mount found lost. */
  public long wentBackBy() {
    return acked - prefix;
  }

  /** The record once another mount has found the volume whole. Its word may come late. */
  public ConfirmedRecord with(ConfirmedRecord other, LossRules rules) {
    boolean isNewer = rules.newest(mountEpoch, other.mountEpoch) == other.mountEpoch;
    ConfirmedRecord last = isNewer ? other : this;
    return new ConfirmedRecord(
        volume,
        last.mountEpoch,
        last.at,
        last.prefix,
        last.acked,
        rules.newest(byUser, other.byUser));
  }
}
