package org.salus.datanode;

/**
 * The reason why a replica cannot be written any more.
 *
 * @param kind what the owner can do about it
 * @param message the reason in words, with the DataNode's address where it is known
 */
public record ReplicaFailure(Kind kind, String message) {
  /** The kinds of failure, by what the replica's owner can do about them. */
  public enum Kind {
    /**
     * The DataNode is gone or has closed the connection, because of a fault or because the writer
     * was fenced.
     */
    CONNECTION,
    /** The DataNode's volumes are full. */
    NO_SPACE,
    /** The DataNode answers, but does not accept this writer for this HDFS block. */
    REFUSED
  }
}
