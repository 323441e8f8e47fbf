package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.host.zk.ClusterStoreException;

/**
 * Checks a volume's calls and hands them to its loop. The {@link MountHost} keeps the volume
 * mounted and runs one {@link SessionHost} at a time. It tells the {@link RequestQueue} to which
 * session requests go. Thread-safe.
 */
final class RemoteVolume implements Volume {
  private final VolumeSpec spec;
  private final VolumeLoop loop;
  private final RequestQueue requests;
  private final MountHost host;

  /** Whether it was closed or abandoned, or could not be claimed. */
  private volatile boolean ending;

  /**
   * @param host keeps the volume mounted for {@code requests}
   */
  RemoteVolume(VolumeSpec spec, VolumeLoop loop, RequestQueue requests, MountHost host) {
    this.spec = spec;
    this.loop = loop;
    this.requests = requests;
    this.host = host;
  }

  @Override
  public String name() {
    return spec.name();
  }

  @Override
  public long size() {
    return spec.size();
  }

  @Override
  public int blockSize() {
    return spec.blockSize();
  }

  @Override
  public CompletableFuture<Void> read(long offset, ByteBuffer dst) {
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException("nothing can be read into a read-only buffer");
    }
    requireInside(offset, dst.remaining());
    return submit(new ReadOperation(blockSize(), offset, dst));
  }

  @Override
  public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    requireInside(offset, src.remaining());
    return submit(new WriteOperation(blockSize(), offset, src, fua));
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    requireInside(offset, length);
    return submit(new ZeroOperation(blockSize(), offset, length, fua));
  }

  @Override
  public CompletableFuture<Void> flush() {
    return add(new Flush(blockSize()));
  }

  @Override
  public CompletableFuture<List<Extent>> extents(long offset, long length) {
    requireInside(offset, length);
    ExtentsOperation op = new ExtentsOperation(blockSize(), offset, length);
    return submit(op).thenApply(done -> op.extents());
  }

  private void requireInside(long offset, long length) {
    if (offset < 0 || length < 0 || length > size() || offset > size() - length) {
      throw new IllegalArgumentException(
          "bytes "
              + offset
              + " to "
              + (offset + length)
              + " are outside of volume "
              + name()
              + " of "
              + size()
              + " bytes");
    }
  }

  private CompletableFuture<Void> submit(Operation op) {
    if (op.length == 0) {
      op.result.complete(null);
      return op.result;
    }
    return add(op);
  }

  private CompletableFuture<Void> add(Operation op) {
    try {
      loop.execute(() -> requests.add(op));
    } catch (RejectedExecutionException ended) {
      op.fail(new SalusException.Closed("volume " + name() + ": its client is closed"));
    }
    return op.result;
  }

  /** Claims the volume for its first mount, see {@link MountHost#acquire}. */
  MountHost.Taken acquire(boolean force) throws ClusterStoreException {
    try {
      return host.acquire(force);
    } catch (ClusterStoreException failed) {
      ending = true;
      throw failed;
    }
  }

  /** Whether the volume is over and no request is outstanding. */
  boolean isOver() {
    return requests.over().isDone();
  }

  /** Completes with the reason when the volume is over and no request is outstanding. */
  CompletableFuture<SalusException> over() {
    return requests.over();
  }

  /** Whether the volume is over or on its way there. */
  boolean isEnding() {
    return ending || isOver();
  }

  /** Whether the volume is over and none of its claims stands. */
  boolean isDone() {
    return host.done().isDone();
  }

  /** See {@link MountHost#done}. */
  CompletableFuture<Void> done() {
    return host.done();
  }

  /** Ends at once, mounted or not. The future completes when every request is answered. */
  CompletableFuture<Void> abandon() {
    ending = true;
    loop.execute(host::abandon);
    return requests.over().thenAccept(why -> {});
  }

  /** Waits for outstanding requests, except when called on the loop, which answers them. */
  @Override
  public void close() {
    ending = true;
    try {
      loop.execute(
          () -> {
            host.close();
            requests.close();
          });
    } catch (RejectedExecutionException ended) {
      return; // the client is closed, and the volume with it
    }
    if (!loop.inLoop()) {
      requests.over().join();
    }
  }

  @Override
  public String toString() {
    return "volume " + name();
  }

  /** A flush: everything acknowledged before it is on disk when it is done. It touches no block. */
  private static final class Flush extends Operation {
    Flush(int blockSize) {
      super(blockSize, 0, 0);
    }

    @Override
    boolean needsRoom() {
      return false;
    }

    @Override
    CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
      return session.flush();
    }
  }
}
