package org.salus.core;

/** Why HDFS does not do what volumes need. Its words are for people, and stand here only. */
public enum Reason {
  SAFE_MODE("HDFS is in safe mode, and takes no changes until it has left it"),
  NO_ROOM("the DataNodes have no room for another log segment");

  private final String words;

  Reason(String words) {
    this.words = words;
  }

  /** The reason as a sentence without a full stop. */
  public String words() {
    return words;
  }
}
