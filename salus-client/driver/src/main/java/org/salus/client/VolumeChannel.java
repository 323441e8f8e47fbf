package org.salus.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A volume as a channel with a position. Every call waits until it is done. The volume's size is
 * fixed; a write at its end fails. Closing flushes the volume and leaves it open. Thread-safe;
 * calls run one at a time.
 */
public final class VolumeChannel implements SeekableByteChannel {
  private final Volume volume;
  private long position;
  private boolean open = true;

  public VolumeChannel(Volume volume) {
    this.volume = volume;
  }

  @Override
  public synchronized int read(ByteBuffer dst) throws IOException {
    requireOpen();
    if (position >= volume.size()) {
      return -1;
    }
    int n = (int) Math.min(dst.remaining(), volume.size() - position);
    await(volume.read(position, dst.slice(dst.position(), n)));
    dst.position(dst.position() + n);
    position += n;
    return n;
  }

  @Override
  public synchronized int write(ByteBuffer src) throws IOException {
    requireOpen();
    int n = (int) Math.min(src.remaining(), Math.max(0, volume.size() - position));
    if (n == 0 && src.hasRemaining()) {
      throw new IOException("end of volume " + volume.name() + " at " + volume.size() + " bytes");
    }
    await(volume.write(position, src.slice(src.position(), n)));
    src.position(src.position() + n);
    position += n;
    return n;
  }

  /** Returns when everything written before is on disk at all members' DataNodes. */
  public synchronized void force() throws IOException {
    requireOpen();
    await(volume.flush());
  }

  private static void await(CompletableFuture<Void> request) throws IOException {
    try {
      request.join();
    } catch (CompletionException failed) {
      throw new IOException(failed.getCause().getMessage(), failed.getCause());
    }
  }

  private void requireOpen() throws IOException {
    if (!open) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public synchronized long position() throws IOException {
    requireOpen();
    return position;
  }

  @Override
  public synchronized VolumeChannel position(long newPosition) throws IOException {
    requireOpen();
    if (newPosition < 0) {
      throw new IllegalArgumentException("position " + newPosition);
    }
    position = newPosition;
    return this;
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return volume.size();
  }

  @Override
  public VolumeChannel truncate(long size) {
    throw new UnsupportedOperationException("a volume's size is fixed");
  }

  @Override
  public synchronized boolean isOpen() {
    return open;
  }

  @Override
  public synchronized void close() throws IOException {
    if (open) {
      force();
      open = false;
    }
  }
}
