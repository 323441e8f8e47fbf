package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionError;
import org.salus.host.netty.Loop;

/**
 * Bytes over the blocks of a mount. Requests are issued to the session in the order of the calls; a
 * write to part of a block first reads that block, and what was called later waits behind it.
 * Everything but the public methods runs on the loop.
 */
final class RemoteVolume implements Volume {
  private static final int LOOK_AHEAD = 64;

  private final VolumeSpec spec;
  private final Loop loop;
  private final Mounter mounter;
  private final ReadMerger merger;
  private final Deque<Operation> waiting = new ArrayDeque<>();

  /**
   * Changes that were called before the lease was lost: whether another writer took the volume is
   * not known yet.
   */
  private final List<Operation> undecided = new ArrayList<>();

  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private Mount mount;
  private boolean closing;
  private boolean pumping;
  private boolean again;

  /**
   * @param start makes the mounter that keeps this volume mounted
   */
  RemoteVolume(VolumeSpec spec, Loop loop, Function<RemoteVolume, Mounter> start) {
    this.spec = spec;
    this.loop = loop;
    this.mounter = start.apply(this);
    this.merger = new ReadMerger(this, loop);
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
    return submit(new ReadOperation(this, offset, dst), dst.remaining());
  }

  @Override
  public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    return submit(new WriteOperation(this, offset, src, fua), src.remaining());
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    return submit(new ZeroOperation(this, offset, length, fua), length);
  }

  @Override
  public CompletableFuture<Void> flush() {
    Operation flush =
        new Operation(this, 0, 0) {
          @Override
          void issue() {
            finishWith(request((session, id, now) -> session.flush(id, now)));
          }
        };
    return addSoon(flush);
  }

  @Override
  public CompletableFuture<List<Extent>> extents(long offset, long length) {
    ExtentsOperation op = new ExtentsOperation(this, offset, length);
    return submit(op, length).thenApply(done -> op.extents());
  }

  private CompletableFuture<Void> submit(Operation op, long length) {
    if (op.offset < 0 || length < 0 || length > size() || op.offset > size() - length) {
      throw new IllegalArgumentException(
          "bytes "
              + op.offset
              + " to "
              + (op.offset + length)
              + " are outside of volume "
              + name()
              + " of "
              + size()
              + " bytes");
    }
    if (length == 0) {
      op.result.complete(null);
      return op.result;
    }
    return addSoon(op);
  }

  private CompletableFuture<Void> addSoon(Operation op) {
    try {
      loop.execute(() -> add(op));
    } catch (RejectedExecutionException ended) {
      op.fail(new SalusException.Closed("volume " + name() + ": its client is closed"));
    }
    return op.result;
  }

  // ---- on the loop ----

  void add(Operation op) {
    SalusException refused = mounter.refuses(op.changes());
    if (refused == null && closing) {
      refused = mounter.exception(SessionError.CLOSED);
    }
    if (refused != null) {
      op.fail(refused);
    } else if (mount != null && !op.changes() && waiting.stream().noneMatch(op::overlaps)) {
      issueOrMerge(op);
    } else {
      waiting.add(op);
      pump();
    }
  }

  private void issueOrMerge(Operation op) {
    if (op instanceof ReadOperation read && read.isWhole()) {
      merger.add(read);
    } else {
      op.issue();
    }
  }

  /**
   * Starts the reads that waiting operations need, and issues, in order, those that need nothing
   * more.
   */
  void pump() {
    again = true;
    if (pumping) {
      return; // a read that was done at once leads back here
    }
    pumping = true;
    merger.issue();
    while (again && mount != null) {
      again = false;
      prepareWaiting();
      issueReady();
    }
    pumping = false;
    if (closing && waiting.isEmpty() && mount != null) {
      mount.close();
    }
  }

  private void prepareWaiting() {
    int looked = 0;
    for (Operation op : waiting) {
      if (looked++ == LOOK_AHEAD) {
        break;
      }
      if (!op.prepared && isFirstAt(op)) {
        op.prepared = true;
        op.prepare();
      }
    }
  }

  private void issueReady() {
    while (!waiting.isEmpty() && waiting.peek().prepared && waiting.peek().needsNothing()) {
      Operation op = waiting.poll();
      again = true; // what waited behind it may be prepared now
      if (!op.result.isDone()) {
        op.issue();
      }
    }
  }

  /** Whether no operation before it touches the same blocks. */
  private boolean isFirstAt(Operation op) {
    for (Operation before : waiting) {
      if (before == op) {
        return true;
      }
      if (before.overlaps(op)) {
        return false;
      }
    }
    return true;
  }

  /** A session has mounted the volume. */
  void mounted(Mount m) {
    mount = m;
    failUndecided(
        new SalusException.Unavailable(
            "volume " + name() + ": the writer's lease was lost before this was answered", null));
    pump();
  }

  /**
   * The session is over; what only reads waits for the next.
   *
   * @param why changes that wait fail, or null where that is not known yet
   */
  void unmounted(SalusException why) {
    mount = null;
    waiting.addAll(merger.take());
    List<Operation> lost = waiting.stream().filter(Operation::changes).toList();
    waiting.removeAll(lost);
    waiting.forEach(Operation::forget);
    if (why == null) {
      undecided.addAll(lost);
    } else {
      lost.forEach(op -> op.fail(why));
    }
  }

  /** Lets an operation that only reads wait for the next session. */
  void retry(Operation op) {
    op.forget();
    waiting.addFirst(op);
  }

  /** Fails a change when it is known why. */
  void hold(Operation op) {
    undecided.add(op);
  }

  private void failUndecided(SalusException why) {
    List<Operation> failed = List.copyOf(undecided);
    undecided.clear();
    failed.forEach(op -> op.fail(why));
  }

  /** No session comes: fails what waits. */
  void failWaiting(SalusException why) {
    failUndecided(why);
    List<Operation> failed = new ArrayList<>(waiting);
    waiting.clear();
    failed.forEach(op -> op.fail(why));
  }

  /** No session comes any more. */
  void over(SalusException why) {
    closing = true;
    mount = null;
    waiting.addAll(merger.take());
    failWaiting(why);
    closed.complete(null);
  }

  Mount mount() {
    return mount;
  }

  boolean closing() {
    return closing;
  }

  Mounter mounter() {
    return mounter;
  }

  VolumeSpec spec() {
    return spec;
  }

  /** Whether it is closed and nothing is outstanding. */
  boolean isOver() {
    return closed.isDone();
  }

  /** Ends at once, mounted or not; what it completes with is over then. */
  CompletableFuture<Void> abandon() {
    loop.execute(mounter::abandon);
    return closed;
  }

  /** Waits for outstanding requests, except when called on the loop, which answers them. */
  @Override
  public void close() {
    try {
      loop.execute(
          () -> {
            closing = true;
            pump();
          });
    } catch (RejectedExecutionException ended) {
      return; // with its client
    }
    if (!loop.inLoop()) {
      closed.join();
    }
  }

  @Override
  public String toString() {
    return "volume " + name();
  }
}
