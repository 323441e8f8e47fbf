package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.host.SettledFuture;
import org.salus.host.zk.ClusterStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a volume's calls and hands them to its loop. The {@link MountHost} keeps the volume
 * mounted and runs one {@link SessionHost} at a time. It tells the {@link RequestQueue} to which
 * session requests go. Thread-safe.
 */
final class RemoteVolume implements Volume {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteVolume.class);

  /** A write with more bytes is cut into parts. */
  private static final int MOST_AT_ONCE = 8 << 20;

  private final VolumeSpec spec;
  private final VolumeLoop loop;
  private final RequestQueue requests;
  private final MountHost host;
  private final Outstanding outstanding;
  private final Executor callbacks;

  /** Whether it was closed or abandoned, or could not be claimed. */
  private volatile boolean ending;

  /**
   * @param host keeps the volume mounted for {@code requests}
   * @param callbacks where what depends on a request's future runs
   */
  RemoteVolume(
      VolumeSpec spec,
      VolumeLoop loop,
      RequestQueue requests,
      MountHost host,
      Outstanding outstanding,
      Executor callbacks) {
    this.spec = spec;
    this.loop = loop;
    this.requests = requests;
    this.host = host;
    this.outstanding = outstanding;
    this.callbacks = callbacks;
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
    Objects.requireNonNull(dst, "dst");
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException("nothing can be read into a read-only buffer");
    }
    ByteBuffer into = dst.duplicate();
    requireInside(offset, into.remaining());
    return into.hasRemaining()
        ? submit(Operation.OF_REQUEST, () -> new ReadOperation(blockSize(), offset, into), false)
        : nothing(null);
  }

  @Override
  public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    ByteBuffer bytes = Objects.requireNonNull(src, "src").duplicate();
    requireInside(offset, bytes.remaining());
    if (!bytes.hasRemaining()) {
      return nothing(null);
    }
    int most = mostAtOnce();
    return bytes.remaining() <= most
        ? writePart(offset, bytes, fua)
        : writeInParts(offset, bytes, fua, most);
  }

  /** Most bytes of a write that is not cut: whole blocks, and a fair share of the memory. */
  private int mostAtOnce() {
    long share = Math.min(MOST_AT_ONCE, outstanding.memory().most() / 4);
    return (int) Math.max(blockSize(), share - share % blockSize());
  }

  private RequestFuture<Void> writePart(long offset, ByteBuffer bytes, boolean fua) {
    return submit(
        WriteOperation.weight(blockSize(), offset, bytes.remaining()),
        () -> new WriteOperation(blockSize(), offset, bytes, fua),
        true);
  }

  /** All parts but the first begin with a block. So at most two blocks are written in part. */
  private CompletableFuture<Void> writeInParts(
      long offset, ByteBuffer bytes, boolean fua, int most) {
    List<RequestFuture<Void>> parts = new ArrayList<>();
    long at = offset;
    while (bytes.hasRemaining()) {
      int length = (int) Math.min(bytes.remaining(), most - at % blockSize());
      RequestFuture<Void> part = nextPart(at, bytes, length, fua, parts.isEmpty());
      parts.add(part);
      if (part.isCompletedExceptionally()) {
        return parts.size() == 1 ? part : after(parts, begunInPart(at - offset, part));
      }
      bytes.position(bytes.position() + length);
      at += length;
    }
    return after(parts, null);
  }

  /**
   * A buffer whose memory is given back meanwhile cannot be read. The first parts are begun then.
   */
  private RequestFuture<Void> nextPart(
      long at, ByteBuffer bytes, int length, boolean fua, boolean isFirst) {
    try {
      return writePart(at, bytes.slice(bytes.position(), length), fua);
    } catch (RuntimeException | Error unreadable) {
      if (isFirst) {
        throw unreadable;
      }
      return refused(
          new SalusException.Failed(
              "volume " + name() + ": the buffer cannot be read any more", unreadable),
          true);
    }
  }

  /** The failure of a write whose first parts are done, and for whose next there is no memory. */
  private SalusException begunInPart(long begun, RequestFuture<Void> refused) {
    Throwable why = refused.failure();
    return new SalusException.Failed(
        "volume "
            + name()
            + ": only the first "
            + begun
            + " bytes were written: "
            + why.getMessage(),
        why);
  }

  /**
   * The request that ends when all its parts have ended.
   *
   * @param cutShort why the last of them was refused while the others were taken; null if none was
   */
  private CompletableFuture<Void> after(List<RequestFuture<Void>> parts, SalusException cutShort) {
    RequestFuture<Void> whole = request(new RequestFuture<>(() -> true));
    whole.begin();
    SettledFuture.whenEnded(parts)
        .whenComplete(
            (done, failed) ->
                whole.end(
                    null,
                    failed == null
                        ? null
                        : outcome(parts.stream().map(RequestFuture::failure).toList(), cutShort)));
    return whole;
  }

  /**
   * The failure of a request. It is in doubt unless each of its parts is known to be without
   * effect.
   */
  private static Throwable outcome(List<Throwable> failures, SalusException cutShort) {
    boolean noEffect =
        failures.stream().allMatch(f -> f != null && !(f instanceof SalusException.UnknownOutcome));
    Throwable first = failures.stream().filter(Objects::nonNull).findFirst().orElseThrow();
    boolean isLast = failures.indexOf(first) == failures.size() - 1;
    SalusException why = isLast && cutShort != null ? cutShort : (SalusException) first;
    return noEffect || why instanceof SalusException.UnknownOutcome
        ? why
        : new SalusException.UnknownOutcome(why);
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    requireInside(offset, length);
    return length > 0
        ? submit(
            ZeroOperation.weight(blockSize()),
            () -> new ZeroOperation(blockSize(), offset, length, fua),
            true)
        : nothing(null);
  }

  @Override
  public CompletableFuture<Void> flush() {
    return submit(Operation.OF_REQUEST, () -> new Flush(blockSize()), true);
  }

  @Override
  public CompletableFuture<List<Extent>> extents(long offset, long length) {
    requireInside(offset, length);
    return length > 0
        ? submit(
            Operation.OF_REQUEST, () -> new ExtentsOperation(blockSize(), offset, length), false)
        : nothing(List.of());
  }

  @Override
  public VolumeStatistics statistics() {
    return outstanding.statistics();
  }

  private void requireInside(long offset, long length) {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException(
          "volume "
              + name()
              + ": offset "
              + offset
              + ", length "
              + length
              + ": neither may be negative");
    }
    if (length > size() || offset > size() - length) {
      throw new IllegalArgumentException(
          length // no sum, which may overflow
              + " bytes from offset "
              + offset
              + " are outside of volume "
              + name()
              + " of "
              + size()
              + " bytes");
    }
  }

  /** A request of no bytes: it is done. */
  private <T> RequestFuture<T> nothing(T value) {
    RequestFuture<T> done = request(new RequestFuture<>(() -> false));
    done.endHere(value, null);
    return done;
  }

  private <T> RequestFuture<T> request(RequestFuture<T> result) {
    result.runCallbacksOn(this::callBack, loop::inLoop);
    return result;
  }

  private <T> RequestFuture<T> failed(SalusException why) {
    RequestFuture<T> failed = request(new RequestFuture<>(() -> false));
    failed.endHere(null, why);
    return failed;
  }

  @Override
  public Executor callbackExecutor() {
    return this::callBack;
  }

  private void callBack(Runnable callback) {
    try {
      callbacks.execute(callback);
    } catch (RuntimeException | OutOfMemoryError refused) {
      callback.run(); // a callback that never runs would be worse
    }
  }

  /**
   * Makes a request and hands it to the loop. First waits for memory, except on the loop, which
   * alone can give some back.
   *
   * @param weight the memory that the request will hold
   * @param changes whether it changes the volume
   */
  private <T> RequestFuture<T> submit(long weight, Supplier<Operation<T>> made, boolean changes) {
    SalusException.Overloaded refused = outstanding.reserve(weight, !loop.inLoop());
    if (refused != null) {
      return refused(refused, changes);
    }
    Operation<T> op;
    try {
      op = made.get();
    } catch (OutOfMemoryError none) {
      outstanding.release(weight);
      return refused(
          new SalusException.Failed(
              "volume " + name() + ": no memory for a request of " + weight + " bytes", none),
          changes);
    } catch (RuntimeException | Error unreadable) { // a buffer whose memory was given back
      outstanding.release(weight);
      throw unreadable;
    }
    request(op.result);
    outstanding.add(op);
    try {
      loop.execute(() -> requests.add(op));
    } catch (RejectedExecutionException ended) {
      op.fail(SessionFailures.clientClosed(name()));
    }
    return op.result;
  }

  /** Fails a request that was not made. Its place in line is taken by one that has failed. */
  private <T> RequestFuture<T> refused(SalusException why, boolean changes) {
    if (changes) {
      Operation<?> place = new Flush(blockSize());
      try {
        loop.execute(() -> requests.refuse(place, why));
      } catch (RejectedExecutionException ended) {
        return failed(SessionFailures.clientClosed(name()));
      }
    }
    return failed(why);
  }

  /** Makes the first change that fails end the volume; see {@link OpenOptions}. */
  void stopAtFailedWrite() {
    requests.stopAtFailedWrite(
        () -> {
          if (!ending) {
            LOG.warn("volume {} stops at a change that failed, as it was opened to do", name());
            beginClose();
          }
        });
  }

  /** Ends at once after a bug: nothing that this volume knows is relied on any more. */
  void fault(Throwable bug) {
    ending = true;
    SalusException why =
        bug instanceof SalusException known ? known : SessionFailures.broken(name(), bug);
    attempt(() -> requests.over(why));
    outstanding.failAll(why);
    attempt(() -> host.fault(why));
  }

  private void attempt(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | OutOfMemoryError | AssertionError next) {
      LOG.warn("volume {} cannot be ended in order", name(), next);
    }
  }

  /** Fails what has not ended, when the loop runs no more. */
  void failOutstanding() {
    outstanding.failAll(SessionFailures.clientClosed(name()));
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
    return ending || requests.isEnding() || isOver();
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
    try {
      loop.execute(host::abandon);
    } catch (RejectedExecutionException ended) {
      return CompletableFuture.completedFuture(null); // the client is closed
    }
    return requests.over().thenAccept(why -> {});
  }

  /** Waits for outstanding requests, except when called on the loop, which answers them. */
  @Override
  public void close() {
    if (beginClose() && !loop.inLoop()) {
      requests.over().join();
    }
  }

  /** Takes no more requests. Returns whether the volume is over later, when they have ended. */
  private boolean beginClose() {
    ending = true;
    try {
      loop.execute(
          () -> {
            host.close();
            requests.close();
          });
      return true;
    } catch (RejectedExecutionException ended) {
      return false; // the client is closed, and the volume with it
    }
  }

  @Override
  public String toString() {
    return "volume " + name();
  }

  /** A flush: everything acknowledged before it is on disk when it is done. It touches no block. */
  static final class Flush extends Operation<Void> {
    Flush(int blockSize) {
      super(blockSize, 0, 0);
    }

    @Override
    Kind kind() {
      return Kind.FLUSH;
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
