package org.salus.datanode;

/**
 * Hears whether appended bytes are written (§4.2.3). The writer's loop calls it, so an
 * implementation returns at once. A listener of several appends of one writer hears of the writer's
 * failure once.
 */
public interface AckListener {
  /**
   * Says that the DataNode has the replica's first {@code length} bytes. They are on disk if the
   * append asked for a sync.
   */
  void acked(long length);

  /** Says that nothing more will be acknowledged. The bytes may or may not be in the replica. */
  void failed(ReplicaFailure failure);
}
