package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32C;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.hdfs.replica.ReplicaWriter;

/**
 * Writes a checkpoint's replica, with a bounded number of bytes on their way to the DataNode. For
 * one thread.
 */
final class ReplicaOutput implements CheckpointWriter.Output {
  private static final int CHUNK = 256 << 10;
  private static final int OUTSTANDING = 8;

  private final ReplicaWriter writer;
  private final CRC32C crc = new CRC32C();
  private final Semaphore room = new Semaphore(OUTSTANDING);
  private byte[] chunk = new byte[CHUNK];
  private int filled;
  private long length;
  private volatile ReplicaFailure failure;

  ReplicaOutput(ReplicaWriter writer) {
    this.writer = writer;
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws UnreadableException {
    for (int done = 0; done < count; ) {
      int n = Math.min(count - done, CHUNK - filled);
      System.arraycopy(bytes, from + done, chunk, filled, n);
      filled += n;
      done += n;
      if (filled == CHUNK) {
        sendChunk();
      }
    }
  }

  private void sendChunk() throws UnreadableException {
    try {
      send();
    } catch (IOException failed) {
      throw new UnreadableException(
          "the checkpoint cannot be written: " + failed.getMessage(), failed);
    }
  }

  private void send() throws IOException {
    crc.update(chunk, 0, filled);
    length += filled;
    try {
      room.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (failure != null) {
      throw new ReplicaFailureException(failure);
    }
    writer.append(
        List.of(ByteBuffer.wrap(chunk, 0, filled)),
        false,
        new AckListener() {
          @Override
          public void acked(long end) {
            room.release();
          }

          @Override
          public void failed(ReplicaFailure why) {
            failure = why;
            room.release(OUTSTANDING);
          }
        });
    chunk = new byte[CHUNK];
    filled = 0;
  }

  /** CRC32C of all bytes sent. */
  int crc() {
    return (int) crc.getValue();
  }

  /** Finalizes the replica on disk; its length. */
  long finish() throws IOException {
    if (filled > 0) {
      send();
    }
    try {
      writer.finish(true).get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return length;
  }
}
