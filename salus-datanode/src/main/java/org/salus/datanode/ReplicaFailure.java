package org.salus.datanode;

/** Why a replica cannot be written any more. */
public record ReplicaFailure(Kind kind, String message) {
  /** What the owner of the replica can do about it. */
  public enum Kind {
    /**
     * The DataNode is gone, or has closed the connection: because of a fault, or because the writer
     * was fenced.
     */
    CONNECTION,
    /** The DataNode's volumes are full. */
    NO_SPACE,
    /** The DataNode is there and does not accept this writer for this block. */
    REFUSED
  }
}
