package org.salus.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.InterruptibleChannel;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A volume as a channel with a position. Every call waits until it is done. The volume's size is
 * fixed: a write at its end fails, and {@link #truncate} refuses a smaller size. A failure of the
 * volume is an {@link IOException} whose cause is the {@link SalusException}.
 *
 * <p>As {@link java.nio.channels} says, another thread may close the channel: a call that waits
 * then throws {@link AsynchronousCloseException}. If a thread that waits is interrupted, the
 * channel is closed, and the call throws {@link ClosedByInterruptException}. A write that ends so
 * may take effect. Closing leaves the volume open, and flushes it except after an interrupt.
 * Thread-safe; reads, writes and changes of the position run one at a time.
 */
public final class VolumeChannel implements SeekableByteChannel, InterruptibleChannel {
  private final Volume volume;

  /** Held by the one call that uses the position. */
  private final ReentrantLock turn = new ReentrantLock();

  /** Guards the fields below it; never held while a call waits. */
  private final Object state = new Object();

  private boolean open = true;

  /** What the call that holds the turn waits for; null if it does not wait. */
  private CompletableFuture<Void> awaited;

  /** Only used by the call that holds the turn. */
  private long position;

  /** A channel at the beginning of {@code volume}. */
  public VolumeChannel(Volume volume) {
    this.volume = volume;
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

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return inTurn(
        () -> {
          if (position >= volume.size()) {
            return -1;
          }
          int n = (int) Math.min(dst.remaining(), volume.size() - position);
          if (n > 0) {
            await(volume.read(position, dst.slice(dst.position(), n)));
          }
          dst.position(dst.position() + n);
          position += n;
          return n;
        });
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return inTurn(
        () -> {
          int n = (int) Math.min(src.remaining(), Math.max(0, volume.size() - position));
          if (n == 0 && src.hasRemaining()) {
            throw new IOException(
                "end of volume " + volume.name() + " at " + volume.size() + " bytes");
          }
          if (n > 0) {
            await(volume.write(position, src.slice(src.position(), n)));
          }
          src.position(src.position() + n);
          position += n;
          return n;
        });
  }

  /** Returns when everything written before is on disk at all members' DataNodes. */
  public void force() throws IOException {
    inTurn(
        () -> {
          await(volume.flush());
          return null;
        });
  }

  private void await(CompletableFuture<Void> request) throws IOException {
    CompletableFuture<Void> end = request.copy();
    synchronized (state) {
      requireOpen();
      awaited = end;
    }
    try {
      end.get();
    } catch (InterruptedException interrupted) {
      synchronized (state) {
        open = false;
      }
      request.cancel(false);
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } catch (CancellationException closed) {
      request.cancel(false);
      throw new AsynchronousCloseException();
    } catch (ExecutionException failed) {
      throw new IOException(failed.getCause().getMessage(), failed.getCause());
    } finally {
      synchronized (state) {
        awaited = null;
      }
    }
  }

  private void requireOpen() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public long position() throws IOException {
    return inTurn(() -> position);
  }

  @Override
  public VolumeChannel position(long newPosition) throws IOException {
    return inTurn(
        () -> {
          if (newPosition < 0) {
            throw new IllegalArgumentException("position " + newPosition);
          }
          position = newPosition;
          return this;
        });
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return volume.size();
  }

  /**
   * Changes no size. As for every channel, the position is at most {@code size} afterwards.
   *
   * @throws UnsupportedOperationException when {@code size} is less than the volume's, which is
   *     fixed
   */
  @Override
  public VolumeChannel truncate(long size) throws IOException {
    return inTurn(
        () -> {
          if (size < 0) {
            throw new IllegalArgumentException("size " + size);
          }
          if (size < volume.size()) {
            throw new UnsupportedOperationException("a volume's size is fixed");
          }
          position = Math.min(position, size);
          return this;
        });
  }

  @Override
  public boolean isOpen() {
    synchronized (state) {
      return open;
    }
  }

  /**
   * Closes the channel, ends the call that waits, and flushes the volume. Has no effect when the
   * channel is closed.
   *
   * @throws IOException when the flush fails; the channel is closed all the same
   */
  @Override
  public void close() throws IOException {
    synchronized (state) {
      if (!open) {
        return;
      }
      open = false;
      if (awaited != null) {
        awaited.cancel(false);
      }
    }
    try {
      volume.flush().get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } catch (ExecutionException failed) {
      throw new IOException(failed.getCause().getMessage(), failed.getCause());
    }
  }
}
