package org.salus.dist.need;

/** What a daemon is. */
public enum Role {
  NAMENODE("NameNode"),
  DATANODE("DataNode"),
  MASTER("HBase master"),
  REGIONSERVER("region server");

  private final String words;

  Role(String words) {
    this.words = words;
  }

  /** Its name for people. */
  public String words() {
    return words;
  }
}
