package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.Collection;
import java.util.Set;

/** Checks of a server's own replicas. Calls block; for one thread. */
public interface ReplicaChecks {

  /** The outcome of a check. */
  enum Outcome {
    /** The file does not exist, or has no replica here. */
    ABSENT,
    /** The file is not complete at the NameNode yet, so it was not checked. */
    OPEN,
    GOOD,
    /** The replica was bad, and the file has three good replicas again. */
    REPAIRED,
    /** The replica is bad and could not be repaired now. */
    BAD
  }

  /**
   * The result of a check.
   *
   * @param outcome the outcome
   * @param what for a bad replica, in words, what is wrong and what was done; otherwise empty
   */
  record Result(Outcome outcome, String what) {}

  /**
   * Checks the own replica, and repairs it if it is bad.
   *
   * @throws IOException when it cannot be checked now
   */
  Result scrub(ScrubFile f) throws IOException;

  /**
   * Returns those of these files that another server repairs, or whose repair was cut short. They
   * are to be checked again.
   */
  Set<String> unfinished(Collection<String> paths);

  /** Whether the file does not exist any more. */
  boolean isGone(String path) throws IOException;
}
