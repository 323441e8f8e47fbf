package org.salus.host.config;

import java.util.List;
import java.util.Map;

/**
 * The settings on which all parts of a cluster must agree. Immutable. The text form hides the
 * secret.
 */
public record ClusterSettings(String secret, int rrsMinMembers, long segmentSize) {
  public static final Setting<String> SECRET =
      Setting.text(
          "salus.secret",
          "",
          "The secret with which servers, the master, the NameNode and clients sign. It must be the"
              + " same everywhere; 32 random characters are best. Empty: none.");

  /** The fewest members with which a region serves. */
  public static final Setting<Integer> MIN_MEMBERS =
      Setting.count(
          "salus.rrs.min-members",
          "2",
          1,
          3,
          "Fewest members with which a region serves after failures.");

  /** The segment size of volumes that a client creates, in bytes. */
  public static final Setting<Long> SEGMENT =
      Setting.size(
          "salus.segment.size",
          "64m",
          1 << 20,
          "Size of a log segment of a new volume. A segment is one HDFS block. At most 1g, and at"
              + " least 16 blocks of the volume.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL = List.of(SECRET, MIN_MEMBERS, SEGMENT);

  /** Reads the group. */
  public static ClusterSettings from(Map<String, String> values) {
    return new ClusterSettings(SECRET.read(values), MIN_MEMBERS.read(values), SEGMENT.read(values));
  }

  @Override
  public String toString() {
    return "ClusterSettings[secret="
        + (secret.isEmpty() ? "none" : "hidden")
        + ", rrsMinMembers="
        + rrsMinMembers
        + ", segmentSize="
        + segmentSize
        + "]";
  }
}
