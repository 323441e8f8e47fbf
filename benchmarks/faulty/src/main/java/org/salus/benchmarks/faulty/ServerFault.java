package org.salus.benchmarks.faulty;

/** What a faulty region server does wrong (paper §5.1), for one volume or table. */
public enum ServerFault {
  /** Answers GETs with other bytes than were written. */
  WRONG_READS("answers reads with junk"),
  /** Answers GETs as if nothing had been written. */
  STALE_READS("answers reads with zeros"),
  /** Answers questions for hashes with wrong ones. */
  WRONG_HASHES("answers with wrong hashes"),
  /** Writes other bytes to its replica of the log, with valid checksums. */
  WRONG_LOG("writes wrong bytes to its log replica"),
  /** Leaves a block out of the checkpoints that it builds, with valid checksums. */
  WRONG_CHECKPOINTS("builds wrong checkpoints"),
  /** Forwards altered data that it vouches for with its own signature. */
  FORGES("forwards altered data, signed by itself"),
  /** Tells that things are committed which are not. */
  FALSE_COMMITS("commits what nobody voted on"),
  /** Signs, forwards and votes nothing. */
  REFUSES("signs, forwards and votes nothing"),
  /** Sends nothing at all, and lives. */
  SILENT("sends nothing"),
  /** Forwards in another order. */
  OUT_OF_ORDER("forwards out of order"),
  /** Votes YES for what it does not give to its DataNode. */
  WITHHOLDS("votes YES and writes nothing"),
  /** Asks the NameNode to delete and rename files, with whatever certificates it has seen. */
  DELETES("asks the NameNode to delete files"),
  /** Loses every third message. */
  DROPS("loses every third message"),
  /** Sends late. */
  DELAYS("sends late"),
  /** Sends everything twice. */
  DUPLICATES("sends everything twice"),
  /** Flips bits in what it sends. */
  ALTERS("flips bits in what it sends");

  private final String label;

  ServerFault(String label) {
    this.label = label;
  }

  /** The fault in words, for tables and messages. */
  public String label() {
    return label;
  }
}
