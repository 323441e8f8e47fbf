package org.salus.regionserver;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.salus.regionserver.hdfs.ScrubFile;

/**
 * The check of this server's replicas of a region after the server has answered wrongly.
 * Thread-safe.
 */
final class DoubtCheck {
  /** The epoch that the wrong answer ended, or 0 when no check is to be made. */
  private int since;

  /** The paths that are checked; empty while they are not known yet. */
  private List<String> paths = List.of();

  /**
   * Starts a check because of the end of epoch {@code ofEpoch}. A check of the same epoch that is
   * under way just continues.
   */
  synchronized void begin(int ofEpoch) {
    if (ofEpoch != since) {
      since = ofEpoch;
      paths = List.of();
    }
  }

  /**
   * Returns the paths to check, once per check; every other call returns an empty list.
   *
   * @param files the region's files as this server knows them
   */
  synchronized List<String> take(List<ScrubFile> files) {
    if (since == 0 || !paths.isEmpty()) {
      return List.of();
    }
    paths = files.stream().map(ScrubFile::path).toList();
    return paths;
  }

  /**
   * Returns the epoch whose check is done, once; every other call returns empty.
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
