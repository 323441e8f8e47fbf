package org.salus.client.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.salus.client.Volume;

/**
 * A volume, or a window of one, as an asynchronous file channel. Any number of reads and writes may
 * be outstanding; writes take effect in the order of the calls. The size is fixed, as that of a
 * {@link VolumeChannel}. A call waits while requests hold all memory, as those of a {@link Volume}.
 *
 * <p>Handlers run on the volume's callback executor. A buffer's position moves when its request
 * succeeds. Closing ends outstanding requests with {@link AsynchronousCloseException}; a write that
 * ends so may take effect. It leaves the volume open, and does not flush it: {@link #force} does.
 * Thread-safe.
 */
public final class AsynchronousVolumeChannel extends AsynchronousFileChannel {
  private final Window window;
  private final Set<CompletableFuture<Integer>> outstanding = ConcurrentHashMap.newKeySet();
  private volatile boolean open = true;

  /** A channel over a whole volume. */
  public AsynchronousVolumeChannel(Volume volume) {
    this(volume, 0, volume.size());
  }

  /**
   * A channel over a window.
   *
   * @param offset where the window begins in the volume, in bytes
   * @param size of the window in bytes, which is the channel's
   * @throws IndexOutOfBoundsException when the window is not inside of the volume
   */
  public AsynchronousVolumeChannel(Volume volume, long offset, long size) {
    this.window = new Window(volume, offset, size);
  }

  // ---- reads and writes ----

  @Override
  public CompletableFuture<Integer> read(ByteBuffer dst, long position) {
    int n = window.readable(position, dst.remaining());
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException("nothing can be read into a read-only buffer");
    }
    return !open || n <= 0 ? atOnce(n) : whenDone(window.read(position, dst, n), dst, n);
  }

  @Override
  public CompletableFuture<Integer> write(ByteBuffer src, long position) {
    int n;
    try {
      n = window.writable(position, src.remaining());
    } catch (IOException end) {
      return CompletableFuture.failedFuture(open ? end : new ClosedChannelException());
    }
    return !open || n == 0 ? atOnce(n) : whenDone(window.write(position, src, n), src, n);
  }

  private CompletableFuture<Integer> atOnce(int n) {
    return open
        ? CompletableFuture.completedFuture(n)
        : CompletableFuture.failedFuture(new ClosedChannelException());
  }

  private CompletableFuture<Integer> whenDone(
      CompletableFuture<Void> request, ByteBuffer buffer, int n) {
    int end = buffer.position() + n;
    CompletableFuture<Integer> result = new CompletableFuture<>();
    outstanding.add(result);
    result.whenComplete(
        (done, ended) -> {
          outstanding.remove(result);
          request.cancel(false); // unless it is done
        });
    request.whenComplete(
        (done, failed) -> {
          if (failed != null) {
            result.completeExceptionally(Window.failure(failed));
          } else if (!result.isDone()) {
            complete(result, buffer, end, n);
          }
        });
    if (!open) {
      result.completeExceptionally(new AsynchronousCloseException());
    }
    return result;
  }

  /** The caller may have cut its buffer meanwhile. */
  private static void complete(
      CompletableFuture<Integer> result, ByteBuffer buffer, int end, int n) {
    try {
      buffer.position(end);
    } catch (IllegalArgumentException cut) {
      result.completeExceptionally(
          new IOException("the buffer's limit is below what was transferred", cut));
      return;
    }
    result.complete(n);
  }

  @Override
  public <A> void read(
      ByteBuffer dst, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
    tell(read(dst, position), attachment, handler);
  }

  @Override
  public <A> void write(
      ByteBuffer src, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
    tell(write(src, position), attachment, handler);
  }

  private static <T, A> void tell(
      CompletableFuture<T> result, A attachment, CompletionHandler<T, ? super A> handler) {
    result.whenComplete(
        (value, failed) -> {
          if (failed == null) {
            handler.completed(value, attachment);
          } else {
            handler.failed(failed, attachment);
          }
        });
  }

  /** Waits until everything written before is on disk at all members' DataNodes. */
  @Override
  public void force(boolean metaData) throws IOException {
    requireOpen();
    try {
      window.volume().flush().get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the flush", interrupted);
    } catch (ExecutionException failed) {
      throw Window.failure(failed.getCause());
    }
  }

  // ---- size ----

  @Override
  public long size() throws IOException {
    requireOpen();
    return window.size();
  }

  /**
   * Changes no size.
   *
   * @throws UnsupportedOperationException when {@code size} is less than the channel's, which is
   *     fixed
   */
  @Override
  public AsynchronousVolumeChannel truncate(long size) throws IOException {
    requireOpen();
    window.requireNotCut(size);
    return this;
  }

  // ---- locks ----

  /** See {@link VolumeChannel#lock(long, long, boolean)}. */
  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    requireOpen();
    return Locks.take(this, window, position, size, shared);
  }

  @Override
  public Future<FileLock> lock(long position, long size, boolean shared) {
    return locked(position, size, shared);
  }

  @Override
  public <A> void lock(
      long position,
      long size,
      boolean shared,
      A attachment,
      CompletionHandler<FileLock, ? super A> handler) {
    tell(locked(position, size, shared), attachment, handler);
  }

  private CompletableFuture<FileLock> locked(long position, long size, boolean shared) {
    try {
      return CompletableFuture.completedFuture(tryLock(position, size, shared));
    } catch (IOException closed) {
      return CompletableFuture.failedFuture(closed);
    }
  }

  // ---- the end ----

  private void requireOpen() throws IOException {
    if (!open) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
    Locks.closed(this, window);
    outstanding.forEach(o -> o.completeExceptionally(new AsynchronousCloseException()));
  }
}
