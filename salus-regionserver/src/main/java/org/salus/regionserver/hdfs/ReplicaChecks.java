package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.Collection;
import java.util.Set;

/** Checks of a server's own replicas. Block; for one thread. */
public interface ReplicaChecks {

  /** What came of a check. */
  enum Outcome {
    /** There is no such file, or no replica of it here. */
    ABSENT,
    /** The file is not complete at the NameNode yet, so it was not looked at. */
    OPEN,
    GOOD,
    /** It was bad, and there are three good replicas again. */
    REPAIRED,
    /** It is bad, and stays so for now. */
    BAD
  }

  /** The outcome, and of a bad replica what is wrong and what was done, in words. */
  record Result(Outcome outcome, String what) {}

  /**
   * Checks the own replica, and repairs it.
   *
   * @throws IOException when it cannot be checked now
   */
  Result scrub(ScrubFile f) throws IOException;

  /**
   * Of these files, those that another server repairs, or whose repair was cut short: to be checked
   * again.
   */
  Set<String> unfinished(Collection<String> paths);

  /** Whether there is no such file any more. */
  boolean isGone(String path) throws IOException;
}
