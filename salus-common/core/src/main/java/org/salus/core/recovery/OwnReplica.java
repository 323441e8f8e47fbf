package org.salus.core.recovery;

/**
 * A member's replica of a segment on its own DataNode, as its host found it once M0 said that the
 * replicas are equal.
 *
 * @param isFinished whether the NameNode has the segment as finished. HDFS then keeps its replicas
 *     equal
 * @param length the replica's length in bytes, or {@link #ABSENT}. Of a finished segment, the
 *     file's length
 * @param valid how far the replica is valid, in bytes. What the member's scan found valid is not
 *     read again
 */
public record OwnReplica(long segment, boolean isFinished, long length, long valid) {
  /** The DataNode has no replica, or one that a recovery has left behind. */
  public static final long ABSENT = -1;
}
