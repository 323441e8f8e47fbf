package org.salus.core;

import java.util.Optional;

/**
 * The quotas of a directory in HDFS, for names and for bytes of all replicas, and what is used of
 * them. A quota is negative if there is none. Immutable.
 */
public record Quota(String directory, long names, long usedNames, long bytes, long usedBytes) {
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

  /** Whether nothing more can be made. */
  public boolean isUsedUp() {
    return names >= 0 && usedNames >= names || bytes >= 0 && usedBytes >= bytes;
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
            + " are used: HBase and volumes stop when it is used up; raise it with 'hdfs dfsadmin "
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
