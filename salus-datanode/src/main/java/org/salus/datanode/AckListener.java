package org.salus.datanode;

/**
 * Told about the fate of appended bytes, on the writer's loop: implementations hand over and return
 * at once. A listener that serves several appends of one writer hears of that writer's failure
 * once.
 */
public interface AckListener {
  /**
   * The DataNode has the replica's first {@code length} bytes; on disk if the append asked for a
   * sync.
   */
  void acked(long length);

  /** Nothing more will be acknowledged; the bytes may or may not be in the replica. */
  void failed(ReplicaFailure failure);
}
