package org.salus.client.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.client.Volume;
import org.salus.host.SettledFuture;

/**
 * A volume, or a window of one, as an asynchronous file channel. Any number of reads and writes may
 * be outstanding; writes take effect in the order of the calls. The size is fixed, as that of a
 * {@link VolumeChannel}. A call waits while requests hold all memory, as those of a {@link Volume}.
 *
 * <p>Handlers run on the volume's callback executor, whoever ends the request. A buffer's position
 * moves when its request succeeds. Closing ends outstanding requests with {@link
 * AsynchronousCloseException}; a write that ends so may take effect. It leaves the volume open, and
 * does not flush it: {@link #force} does. Thread-safe.
 */
public final class AsynchronousVolumeChannel extends AsynchronousFileChannel {
  private final Window window;
  private final Set<Transfer> outstanding = ConcurrentHashMap.newKeySet();
  private volatile boolean open = true;

  /** A channel over a whole volume. */
  public AsynchronousVolumeChannel(Volume volume) {
    this(volume, 0, Objects.requireNonNull(volume, "volume").size());
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
    int n = window.readable(position, dst);
    return !open || n <= 0 ? atOnce(n) : new Transfer(window.read(position, dst, n), dst, n);
  }

  @Override
  public CompletableFuture<Integer> write(ByteBuffer src, long position) {
    int n;
    try {
      n = window.writable(position, src.remaining());
    } catch (IOException end) {
      return CompletableFuture.failedFuture(open ? end : new ClosedChannelException());
    }
    return !open || n == 0 ? atOnce(n) : new Transfer(window.write(position, src, n), src, n);
  }

  private CompletableFuture<Integer> atOnce(int n) {
    return open
        ? CompletableFuture.completedFuture(n)
        : CompletableFuture.failedFuture(new ClosedChannelException());
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

  private <T, A> void tell(
      CompletableFuture<T> result, A attachment, CompletionHandler<T, ? super A> handler) {
    result.whenCompleteAsync(
        (value, failed) -> {
          if (failed == null) {
            handler.completed(value, attachment);
          } else {
            handler.failed(failed, attachment);
          }
        },
        window.volume().callbackExecutor());
  }

  /**
   * Returns when every write that was called before, by this channel or another user of the volume,
   * is on disk at all members' DataNodes. Those that are still outstanding count too.
   */
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
    outstanding.forEach(Transfer::close);
  }

  /**
   * A read or write under way. Once it is done, nothing is written into its buffer. What depends on
   * it runs on the volume's callback executor.
   */
  private final class Transfer extends SettledFuture<Integer> {
    private final CompletableFuture<Void> request;
    private final ByteBuffer buffer;
    private final int end;
    private final int count;

    /** Whether somebody is about to settle it. */
    private final AtomicBoolean over = new AtomicBoolean();

    Transfer(CompletableFuture<Void> request, ByteBuffer buffer, int count) {
      this.request = request;
      this.buffer = buffer;
      this.end = buffer.position() + count;
      this.count = count;
      outstanding.add(this);
      SettledFuture.whenEnded(List.of(request)).whenComplete((done, failed) -> ended(failed));
      if (!open) {
        close(); // by a close that did not see it
      }
    }

    @Override
    protected Executor callbacks() {
      return window.volume().callbackExecutor();
    }

    @Override
    protected boolean isOnLoop() {
      return SettledFuture.isOnLoop(request);
    }

    private void ended(Throwable failed) {
      if (!over.compareAndSet(false, true)) {
        return;
      }
      outstanding.remove(this);
      if (failed != null) {
        settle(null, Window.failure(failed));
        return;
      }
      try {
        buffer.position(end);
        settle(count, null);
      } catch (IllegalArgumentException cut) { // by the caller meanwhile
        settle(null, new IOException("the buffer's limit is below what was transferred", cut));
      }
    }

    /** Ends it before its request, which then writes nothing more into the buffer. */
    private boolean endEarly(Integer value, Throwable why) {
      if (!over.compareAndSet(false, true)) {
        return false;
      }
      request.cancel(false);
      outstanding.remove(this);
      settle(value, why);
      return true;
    }

    void close() {
      endEarly(null, new AsynchronousCloseException());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return endEarly(null, new CancellationException()) || isCancelled();
    }

    @Override
    public boolean complete(Integer value) {
      return endEarly(value, null);
    }

    @Override
    public boolean completeExceptionally(Throwable why) {
      return endEarly(null, why);
    }
  }
}
