package org.salus.core;

import java.util.Optional;

/**
 * The quotas of a directory in HDFS, for names and for bytes of all replicas, and what is used of
 * them. A quota is negative if there is none. Immutable.
 *
 * @param bindsHBase whether HBase has its files there; otherwise only volumes do
 */
public record Quota(
    String directory, boolean bindsHBase, long names, long usedNames, long bytes, long usedBytes) {
  /** HBase makes some 80 names when it starts for the first time, and fewer later. */
  static final long LEAST_NAMES = 100;

  /** Three replicas of the largest log segment. HDFS counts a whole block that is begun. */
  static final long LEAST_BYTES = 3L * VolumeSpec.MAX_SEGMENT;

  /** Why volumes or HBase stop soon, if they have not stopped already. */
  public Optional<Reason> reason() {
    if (names >= 0 && names - usedNames < LEAST_NAMES) {
      return Optional.of(reason("names", names, usedNames, "-setQuota", "-clrQuota"));
    }
    return bytes >= 0 && bytes - usedBytes < LEAST_BYTES
        ? Optional.of(
            reason("bytes of all replicas", bytes, usedBytes, "-setSpaceQuota", "-clrSpaceQuota"))
        : Optional.empty();
  }

  /** Whether HBase can make nothing more, so that it ends or does not start. */
  public boolean stopsHBase() {
    return bindsHBase && (names >= 0 && usedNames >= names || bytes >= 0 && usedBytes >= bytes);
  }

  /**
   * Whether anybody who may set quotas may change one that binds all volumes: to a higher one, or
   * to none. That is the way out when it is used up. A negative quota is none.
   */
  public static boolean mayBecome(long present, long next) {
    return next < 0 || present >= 0 && next >= present;
  }

  private Reason reason(String what, long quota, long used, String raise, String clear) {
    return new Reason(
        Reason.Kind.QUOTA,
        "the quota of "
            + directory
            + " in HDFS allows "
            + quota
            + " "
            + what
            + ", of which "
            + used
            + " are used: "
            + (bindsHBase ? "HBase and volumes stop" : "volumes stop")
            + " when it is used up; raise it with 'hdfs dfsadmin "
            + raise
            + " N "
            + directory
            + "', or take it away with 'hdfs dfsadmin "
            + clear
            + " "
            + directory
            + "'");
  }
}
