package org.salus.sim;

import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** The files of one region as the NameNode knows them. */
final class SimFiles {
  /** The length of a segment that is still written. */
  static final long OPEN = -1;

  /** The length of each segment in bytes, or OPEN. */
  final TreeMap<Long, Long> segments = new TreeMap<>();

  /** The block of each segment. A segment that is made again gets another one. */
  final TreeMap<Long, Long> blocks = new TreeMap<>();

  /** The generation stamp of each segment. A replica with an older one was left behind. */
  final TreeMap<Long, Long> stamps = new TreeMap<>();

  /**
   * The segments for which somebody has asked for a new stamp since the NameNode began. Of others
   * it does not know which stamps DataNodes have reported.
   */
  final TreeSet<Long> noted = new TreeSet<>();

  /** The epoch that created each segment. */
  final TreeMap<Long, Integer> created = new TreeMap<>();

  /** The nodes on which the NameNode knows a replica of each segment. */
  final TreeMap<Long, TreeSet<String>> located = new TreeMap<>();

  final TreeSet<Long> checkpoints = new TreeSet<>();

  /** The epoch that recovered the log last. */
  int fenced;

  /** The nodes that took part in that. */
  List<String> fencedAt = List.of();
}
