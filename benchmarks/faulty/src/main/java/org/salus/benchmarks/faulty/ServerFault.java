package org.salus.benchmarks.faulty;

/** What a faulty region server does wrong (paper §5.1), for one volume or table. */
public enum ServerFault {
  /** Answers GETs with other bytes than were written. */
  WRONG_READS,
  /** Answers GETs as if nothing had been written. */
  STALE_READS,
  /** Answers questions for hashes with wrong ones. */
  WRONG_HASHES,
  /** Writes other bytes to its replica of the log, with valid checksums. */
  WRONG_LOG,
  /** Leaves a block out of the checkpoints that it builds, with valid checksums. */
  WRONG_CHECKPOINTS,
  /** Forwards altered data that it vouches for with its own signature. */
  FORGES,
  /** Tells that things are committed which are not. */
  FALSE_COMMITS,
  /** Signs, forwards and votes nothing. */
  REFUSES,
  /** Sends nothing at all, and lives. */
  SILENT,
  /** Forwards in another order. */
  OUT_OF_ORDER,
  /** Votes YES for what it does not give to its DataNode. */
  WITHHOLDS,
  /** Asks the NameNode to delete and rename files, with whatever certificates it has seen. */
  DELETES,
  /** Loses every third message. */
  DROPS,
  /** Sends late. */
  DELAYS,
  /** Sends everything twice. */
  DUPLICATES,
  /** Flips bits in what it sends. */
  ALTERS
}
