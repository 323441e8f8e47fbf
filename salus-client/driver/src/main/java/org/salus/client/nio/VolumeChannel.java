package org.salus.client.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.salus.client.Volume;
import org.salus.host.SettledFuture;

/**
 * A volume, or a window of one, as a file channel. Every call waits until it is done. The size is
 * fixed: a write at the end fails, {@link #truncate} refuses a smaller size, and there is no {@link
 * #map}. A failure of the volume is an {@link IOException} whose cause is the {@link
 * org.salus.client.SalusException}.
 *
 * <p>As {@link java.nio.channels} says, another thread may close the channel: calls that wait then
 * throw {@link AsynchronousCloseException}. If a thread that waits is interrupted, the channel is
 * closed, and the call throws {@link ClosedByInterruptException}. A write that ends so may take
 * effect. Closing leaves the volume open, and flushes it except after an interrupt. Thread-safe;
 * calls that use the channel's position run one at a time, others side by side.
 */
public final class VolumeChannel extends FileChannel {
  /** Most bytes of a transfer that are in memory at a time. */
  private static final int TRANSFERRED_AT_ONCE = 1 << 20;

  private final Window window;

  /** Held by the one call that uses the position. */
  private final ReentrantLock turn = new ReentrantLock();

  /** What calls wait for. */
  private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();

  /** Whether a thread was interrupted while it waited. */
  private volatile boolean interrupted;

  /** Only used by the call that holds the turn. */
  private long position;

  /** A channel at the beginning of {@code volume}. */
  public VolumeChannel(Volume volume) {
    this(volume, 0, Objects.requireNonNull(volume, "volume").size());
  }

  /**
   * A channel at the beginning of a window.
   *
   * @param offset where the window begins in the volume, in bytes
   * @param size of the window in bytes, which is the channel's
   * @throws IndexOutOfBoundsException when the window is not inside of the volume
   */
  public VolumeChannel(Volume volume, long offset, long size) {
    this.window = new Window(volume, offset, size);
  }

  /** An action of a call that has the turn. */
  private interface Action<T> {
    T run() throws IOException;
  }

  private <T> T inTurn(Action<T> action) throws IOException {
    turn.lock();
    try {
      requireOpen();
      return action.run();
    } finally {
      turn.unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  // ---- reads and writes ----

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return inTurn(
        () -> {
          int n = readAt(dst, position);
          position += Math.max(0, n);
          return n;
        });
  }

  @Override
  public int read(ByteBuffer dst, long at) throws IOException {
    requireOpen();
    return readAt(dst, at);
  }

  private int readAt(ByteBuffer dst, long at) throws IOException {
    int n = window.readable(at, dst);
    if (n > 0) {
      await(List.of(window.read(at, dst, n)));
      dst.position(dst.position() + n);
    }
    return n;
  }

  /** Reads into all buffers side by side. */
  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, dsts.length);
    Arrays.stream(dsts, offset, offset + length).forEach(Window::requireWritable);
    return inTurn(
        () -> {
          if (position >= window.size()) {
            return -1L;
          }
          List<CompletableFuture<Void>> requests = new ArrayList<>();
          int[] taken = new int[length];
          long at = position;
          for (int i = 0; i < length && at < window.size(); i++) {
            ByteBuffer dst = dsts[offset + i];
            taken[i] = window.readable(at, dst);
            if (taken[i] > 0) {
              requests.add(window.read(at, dst, taken[i]));
              at += taken[i];
            }
          }
          return end(requests, dsts, offset, taken, at);
        });
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return inTurn(
        () -> {
          int n = writeAt(src, position);
          position += n;
          return n;
        });
  }

  @Override
  public int write(ByteBuffer src, long at) throws IOException {
    requireOpen();
    return writeAt(src, at);
  }

  private int writeAt(ByteBuffer src, long at) throws IOException {
    int n = window.writable(at, src.remaining());
    if (n > 0) {
      await(List.of(window.write(at, src, n)));
      src.position(src.position() + n);
    }
    return n;
  }

  /** Writes all buffers, which take effect in their order. */
  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, srcs.length);
    return inTurn(
        () -> {
          List<CompletableFuture<Void>> requests = new ArrayList<>();
          int[] taken = new int[length];
          long at = position;
          for (int i = 0; i < length && (at == position || at < window.size()); i++) {
            ByteBuffer src = srcs[offset + i];
            taken[i] = window.writable(at, src.remaining());
            if (taken[i] > 0) {
              requests.add(window.write(at, src, taken[i]));
              at += taken[i];
            }
          }
          return end(requests, srcs, offset, taken, at);
        });
  }

  /** Waits for the requests of several buffers, and moves their positions and the channel's. */
  private long end(
      List<CompletableFuture<Void>> requests,
      ByteBuffer[] buffers,
      int offset,
      int[] taken,
      long end)
      throws IOException {
    await(requests);
    for (int i = 0; i < taken.length; i++) {
      ByteBuffer buffer = buffers[offset + i];
      buffer.position(buffer.position() + taken[i]);
    }
    long moved = end - position;
    position = end;
    return moved;
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel target) throws IOException {
    requireOpen();
    Window.requirePosition(at);
    requireCount(count);
    long done = 0;
    while (done < count) {
      ByteBuffer piece = piece(count - done);
      if (readAt(piece, at + done) < 0) {
        return done;
      }
      int written = target.write(piece.flip());
      done += written;
      if (piece.hasRemaining()) {
        return done; // the target takes no more
      }
    }
    return done;
  }

  @Override
  public long transferFrom(ReadableByteChannel src, long at, long count) throws IOException {
    requireOpen();
    requireCount(count);
    Window.requirePosition(at);
    long most = Math.min(count, Math.max(0, window.size() - at));
    long done = 0;
    while (done < most) {
      ByteBuffer piece = piece(most - done);
      if (src.read(piece) <= 0) {
        return done;
      }
      done += writeAt(piece.flip(), at + done);
    }
    return done;
  }

  private static void requireCount(long count) {
    if (count < 0) {
      throw new IllegalArgumentException("count " + count);
    }
  }

  private static ByteBuffer piece(long most) {
    return ByteBuffer.allocate((int) Math.min(TRANSFERRED_AT_ONCE, most));
  }

  /**
   * Returns when every write that was called before, by this channel or another user of the volume,
   * is on disk at all members' DataNodes.
   */
  @Override
  public void force(boolean metaData) throws IOException {
    requireOpen();
    await(List.of(window.volume().flush()));
  }

  // ---- waiting ----

  private void await(List<CompletableFuture<Void>> requests) throws IOException {
    requireMayWait(requests);
    CompletableFuture<Void> all = SettledFuture.whenEnded(requests);
    waiting.add(all);
    try {
      if (!isOpen()) {
        all.cancel(false); // by a close that did not see it
      }
      all.get();
    } catch (InterruptedException now) {
      throw closedByInterrupt(requests);
    } catch (CancellationException closed) {
      requests.forEach(r -> r.cancel(false));
      throw new AsynchronousCloseException();
    } catch (ExecutionException failed) {
      if (Thread.currentThread().isInterrupted()) {
        throw closedByInterrupt(requests); // while a call waited for memory
      }
      throw Window.failure(failed.getCause());
    } finally {
      waiting.remove(all);
    }
  }

  private static void requireMayWait(List<CompletableFuture<Void>> requests) {
    try {
      requests.forEach(SettledFuture::requireMayWait);
    } catch (IllegalStateException onLoop) {
      requests.forEach(r -> r.cancel(false));
      throw onLoop;
    }
  }

  private IOException closedByInterrupt(List<CompletableFuture<Void>> requests) throws IOException {
    requests.forEach(r -> r.cancel(false));
    interrupted = true;
    Thread.currentThread().interrupt();
    if (isOpen()) {
      close();
    }
    return new ClosedByInterruptException();
  }

  /**
   * Ends the calls that wait, and flushes the volume, except after an interrupt.
   *
   * @throws IOException when the flush fails; the channel is closed all the same
   */
  @Override
  protected void implCloseChannel() throws IOException {
    waiting.forEach(all -> all.cancel(false));
    Locks.closed(this, window);
    if (interrupted) {
      return;
    }
    try {
      window.volume().flush().get();
    } catch (InterruptedException now) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } catch (ExecutionException failed) {
      throw Window.failure(failed.getCause());
    }
  }

  // ---- position and size ----

  @Override
  public long position() throws IOException {
    return inTurn(() -> position);
  }

  @Override
  public VolumeChannel position(long newPosition) throws IOException {
    return inTurn(
        () -> {
          Window.requirePosition(newPosition);
          position = newPosition;
          return this;
        });
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return window.size();
  }

  /**
   * Changes no size. As for every channel, the position is at most {@code size} afterwards.
   *
   * @throws UnsupportedOperationException when {@code size} is less than the channel's, which is
   *     fixed
   */
  @Override
  public VolumeChannel truncate(long size) throws IOException {
    return inTurn(
        () -> {
          window.requireNotCut(size);
          position = Math.min(position, size);
          return this;
        });
  }

  // ---- what a volume does not have, or has by its nature ----

  /**
   * Refuses.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public MappedByteBuffer map(MapMode mode, long at, long size) {
    throw new UnsupportedOperationException(
        "a volume cannot be mapped, since its bytes are on servers: read them into a buffer");
  }

  /**
   * Takes a lock, as against others in this process. No other process can have one, since a volume
   * has one writer.
   *
   * @throws java.nio.channels.OverlappingFileLockException when this process has one that overlaps
   */
  @Override
  public FileLock lock(long at, long size, boolean shared) throws IOException {
    return tryLock(at, size, shared);
  }

  /** The same as {@link #lock(long, long, boolean)}, which never waits. */
  @Override
  public FileLock tryLock(long at, long size, boolean shared) throws IOException {
    requireOpen();
    return Locks.take(this, window, at, size, shared);
  }
}
