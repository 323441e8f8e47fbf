package org.salus.regionserver;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.salus.regionserver.hdfs.ScrubFile;

/** The check of this server's replicas of a region after it has answered wrongly. Thread-safe. */
final class DoubtCheck {
  /** The epoch that ended for its answer; 0: there is no check. */
  private int since;

  /** What is checked; empty: that is not known yet. */
  private List<String> paths = List.of();

  /**
   * There is one to make for the end of an epoch; said again of one that is under way it changes
   * nothing.
   */
  synchronized void begin(int ofEpoch) {
    if (ofEpoch != since) {
      since = ofEpoch;
      paths = List.of();
    }
  }

  /** The paths to check, of the region's files as they are known; one time, else empty. */
  synchronized List<String> take(List<ScrubFile> files) {
    if (since == 0 || !paths.isEmpty()) {
      return List.of();
    }
    paths = files.stream().map(ScrubFile::path).toList();
    return paths;
  }

  /**
   * The epoch for which all is checked now; one time, else empty.
   *
   * @param pending whether a path is still to be checked, or bad
   */
  synchronized OptionalInt through(Predicate<String> pending) {
    if (paths.isEmpty() || paths.stream().anyMatch(pending)) {
      return OptionalInt.empty();
    }
    OptionalInt through = OptionalInt.of(since);
    since = 0;
    paths = List.of();
    return through;
  }
}
