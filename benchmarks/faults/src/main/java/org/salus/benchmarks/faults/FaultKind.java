package org.salus.benchmarks.faults;

/** What the faulty region servers of the module salus-faulty can be told to do, by its names. */
public enum FaultKind {
  WRONG_READS("answers reads with junk"),
  STALE_READS("answers reads with zeros"),
  WRONG_HASHES("answers with wrong hashes"),
  WRONG_LOG("writes wrong bytes to its log replica"),
  WRONG_CHECKPOINTS("builds wrong checkpoints"),
  FORGES("forwards altered data, signed by itself"),
  FALSE_COMMITS("commits what nobody voted on"),
  REFUSES("signs, forwards and votes nothing"),
  SILENT("sends nothing"),
  OUT_OF_ORDER("forwards out of order"),
  WITHHOLDS("votes YES and writes nothing"),
  DELETES("asks the NameNode to delete files"),
  DROPS("loses every third message"),
  DELAYS("sends late"),
  DUPLICATES("sends everything twice"),
  ALTERS("flips bits in what it sends");

  private final String label;

  FaultKind(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
