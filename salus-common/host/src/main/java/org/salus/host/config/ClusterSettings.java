package org.salus.host.config;

import java.util.List;
import java.util.Map;

/** What all parts of a cluster must agree on. Immutable; its text form hides the secret. */
public record ClusterSettings(String secret, int rrsMinMembers, long segmentSize) {
  private static final Setting<String> SECRET =
      Setting.text(
          "salus.secret",
          "",
          "The secret with which servers, the master, the NameNode and clients sign; the same for all, best 32 random characters; empty: none.");

  /** With how many members a region serves. */
  public static final Setting<Integer> MIN_MEMBERS =
      Setting.count(
          "salus.rrs.min-members",
          "2",
          1,
          3,
          "Fewest members with which a region goes on after failures.");

  /** Of the volumes that a client makes. */
  public static final Setting<Long> SEGMENT =
      Setting.size(
          "salus.segment.size",
          "64m",
          1 << 20,
          "Size of a new volume's log segments, each of which is one HDFS block; at most 1g, and at least 16 blocks of the volume.");

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
