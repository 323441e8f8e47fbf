package org.salus.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.session.block.LastToTouch;
import org.salus.host.netty.Loop;

/**
 * Hands a volume's requests to its session in the order of the calls, and decides what becomes of
 * each when the session ends. A write to part of a block first reads that block; later calls wait
 * behind it. Every method must be called on the loop.
 *
 * <p>It may be told to stop at the first change that fails. A change that fails before a session
 * has it then keeps its place in line: what is in front of it goes on, and what is behind it fails.
 */
final class RequestQueue implements MountHost.Listener {
  private static final int LOOK_AHEAD = 64;

  /**
   * After this time, merged reads go on one by one, so that a block that no member has does not
   * hold up its neighbours.
   */
  private static final Duration MERGED_PATIENCE = Duration.ofSeconds(1);

  private final String name;
  private final VolumeLoop loop;
  private final ReadMerger merger;
  private final Deque<Operation<?>> waiting = new ArrayDeque<>();

  /** The changes among them. */
  private final LastToTouch<Operation<?>> changes = new LastToTouch<>();

  /**
   * Changes that were under way when the lease was lost. They wait until it is known whether
   * another writer took the volume.
   */
  private final List<Operation<?>> undecided = new ArrayList<>();

  private final CompletableFuture<SalusException> over = new CompletableFuture<>();

  /** Null while the volume is not mounted. */
  private BlockSession session;

  /** Why no session will follow; null while one may. */
  private volatile SalusException ending;

  /** Whether the last session ended for want of room, and none has mounted the volume since. */
  private boolean isFull;

  /** What to do at the first change that fails; null to go on behind it. */
  private Runnable whenStopped;

  /** How calls fail since a change has failed; null for none, or to go on. */
  private SalusException stopped;

  /** The number of operations that sessions got. */
  private long issued;

  /** The place of the first of them that has failed, if that is to stop the others. */
  private long failedAt = Long.MAX_VALUE;

  /** The number of merged reads under way, which may go on one by one. */
  private int merged;

  private boolean closing;
  private boolean pumping;
  private boolean again;

  RequestQueue(VolumeSpec spec, VolumeLoop loop) {
    this.name = spec.name();
    this.loop = loop;
    this.merger = new ReadMerger(spec.stripeBlocks());
  }

  /**
   * Lets no change take effect that is later in order than one that failed.
   *
   * @param end ends the volume once what was sent is answered; may be run several times
   */
  void stopAtFailedWrite(Runnable end) {
    whenStopped = end;
  }

  /** Takes a request, or fails it. */
  void add(Operation<?> op) {
    SalusException refused = refusal();
    if (refused != null) {
      op.fail(refused);
    } else if (op.needsRoom() && isFull) {
      refuse(op, SessionFailures.noSpace(name));
    } else if (session != null && !op.changes() && !waitsForChange(op)) {
      issueOrMerge(op);
    } else {
      await(op);
      pump();
    }
  }

  /** Whether no session will follow. May be called on any thread. */
  boolean isEnding() {
    return ending != null;
  }

  private boolean waitsForChange(Operation<?> op) {
    return changes.last(op.firstBlock(), op.endBlock()) != null;
  }

  private void await(Operation<?> op) {
    op.after = changes.last(op.firstBlock(), op.endBlock());
    op.waits = true;
    waiting.add(op);
    if (op.changes()) {
      changes.add(op, op.firstBlock(), op.endBlock());
    }
  }

  private void forget(Operation<?> op) {
    op.waits = false;
    op.after = null;
    changes.remove(op, op.firstBlock(), op.endBlock());
  }

  /** Why nothing more is taken, or null. */
  private SalusException refusal() {
    if (stopped != null || ending != null) {
      return stopped != null ? stopped : ending;
    }
    return closing ? SessionFailures.closed(name) : null;
  }

  /** Fails a change that no session gets. It keeps its place in line if others must stop there. */
  void refuse(Operation<?> op, SalusException why) {
    op.fail(why);
    if (whenStopped != null && refusal() == null && !op.result.wasCancelled()) {
      noteFailure(why);
      await(op);
      pump();
    }
  }

  /** From now on calls fail, if a failure is to stop them. */
  private void noteFailure(SalusException why) {
    if (whenStopped != null && stopped == null && ending == null) {
      stopped = SessionFailures.stopped(name, why);
    }
  }

  /** A change has failed, and all that waits is later in order. */
  private void stop(SalusException why) {
    noteFailure(why);
    if (stopped != null) {
      failWaiting(stopped);
      whenStopped.run();
    }
  }

  private void fail(Operation<?> op, SalusException why) {
    op.fail(why);
    if (op.changes() && !op.result.wasCancelled()) {
      failedAt = whenStopped == null || op.order == 0 ? failedAt : Math.min(failedAt, op.order);
      stop(why);
    }
  }

  private void failWaiting(SalusException why) {
    List<Operation<?>> failed = new ArrayList<>(waiting);
    waiting.clear();
    failed.forEach(this::forget);
    failed.forEach(op -> op.fail(why));
  }

  private void issueOrMerge(Operation<?> op) {
    if (!(op instanceof ReadOperation read && read.isWhole())) {
      issue(op);
    } else if (merger.add(read)) {
      loop.execute(this::issueMerged);
    }
  }

  /** Takes no more requests. Closes the session when it needs no more for the earlier ones. */
  void close() {
    closing = true;
    pump();
  }

  /** Completes, with the reason, when no session will follow and every request is answered. */
  CompletableFuture<SalusException> over() {
    return over;
  }

  /**
   * Starts the reads that waiting operations need. Issues, in order, the operations that need
   * nothing more.
   */
  private void pump() {
    again = true;
    if (pumping) {
      return; // called from within itself, by a read that was done at once
    }
    pumping = true;
    issueMerged();
    while (again && session != null) {
      again = false;
      prepareWaiting();
      issueReady();
    }
    pumping = false;
    closeIfUnused();
  }

  private void closeIfUnused() {
    if (closing && waiting.isEmpty() && merged == 0 && session != null) {
      session.close();
    }
  }

  private void prepareWaiting() {
    int looked = 0;
    for (Operation<?> op : waiting) {
      if (looked++ == LOOK_AHEAD) {
        break;
      }
      if (!op.prepared && (op.after == null || !op.after.waits)) {
        prepare(op);
      }
    }
  }

  private void prepare(Operation<?> op) {
    BlockSession in = session;
    op.prepared = true;
    List<CompletableFuture<SessionEffect.Outcome>> reads = op.prepare(in);
    op.needed = reads.size();
    reads.forEach(read -> whenAnswered(read, e -> prepared(op, in, e)));
  }

  /**
   * Takes an answer. What {@code then} throws goes to the loop's fault handler, for nobody looks at
   * the future in which it would end otherwise.
   */
  private void whenAnswered(
      CompletableFuture<SessionEffect.Outcome> answer, Consumer<SessionEffect.Outcome> then) {
    answer.thenAccept(
        e -> {
          try {
            then.accept(e);
          } catch (RuntimeException | Error bug) {
            loop.execute(
                () -> {
                  throw bug;
                });
          }
        });
  }

  /** The read of a partly changed block is done or has failed. */
  private void prepared(Operation<?> op, BlockSession in, SessionEffect.Outcome e) {
    if (e instanceof SessionEffect.Failed f) {
      if (f.why() != SessionError.INTEGRITY && f.why() != SessionError.TIMED_OUT) {
        return; // the session is over: unmounted() or ending() decides about the operation
      }
      SalusException why = in.exception(f.why());
      op.fail(why);
      if (!op.result.wasCancelled()) {
        noteFailure(why);
      }
    }
    op.needed--;
    pump();
  }

  private void issueReady() {
    while (!waiting.isEmpty() && waiting.peek().prepared && waiting.peek().needed == 0) {
      Operation<?> op = waiting.poll();
      forget(op);
      again = true; // operations that waited behind this one may be prepared now
      issue(op);
    }
  }

  private void issue(Operation<?> op) {
    if (!op.result.begin()) {
      op.drop(); // its caller has cancelled it, or it has failed before
      if (op.changes() && !op.result.wasCancelled()) {
        stop(SessionFailures.givenUp(name));
      }
      return;
    }
    BlockSession in = session;
    op.order = ++issued;
    op.setInDoubt(true);
    whenAnswered(op.issue(in), e -> finish(op, in, e));
  }

  /**
   * Issues the reads gathered in this turn of the loop. Must be called before anything that has to
   * follow them.
   */
  private void issueMerged() {
    for (List<ReadOperation> run : merger.takeRuns()) {
      if (run.size() == 1) {
        issue(run.get(0));
      } else {
        issueTogether(new MergedRead(run));
      }
    }
  }

  private void issueTogether(MergedRead read) {
    BlockSession in = session;
    Loop.Timer patience = loop.schedule(MERGED_PATIENCE, () -> end(read, this::issue));
    merged++;
    whenAnswered(
        read.issue(in),
        e -> {
          patience.cancel();
          boolean isBad =
              in == session
                  && e instanceof SessionEffect.Failed f
                  && f.why() == SessionError.INTEGRITY;
          end(read, isBad ? this::issue : r -> finish(r, in, e));
        });
  }

  private void end(MergedRead read, Consumer<ReadOperation> then) {
    List<ReadOperation> reads = read.end();
    if (!reads.isEmpty()) {
      merged--;
      reads.forEach(then);
      closeIfUnused();
    }
  }

  /**
   * Ends an operation with its request's outcome. A read that failed with the lease or for want of
   * room waits for the next session, and so does a flush for want of room. A flush behind a change
   * that failed and stops the volume may be done, but must not look so: the change is not there.
   */
  private void finish(Operation<?> op, BlockSession in, SessionEffect.Outcome e) {
    if (!(e instanceof SessionEffect.Failed f)) {
      if (op.changes() && op.order > failedAt) {
        op.fail(stopped);
      } else {
        op.succeed(e);
      }
      return;
    }
    op.setInDoubt(f.inDoubt());
    boolean isWithoutRoom = !op.needsRoom() && f.why() == SessionError.NO_SPACE;
    if (isWithoutRoom && (!op.changes() || stopped == null)
        || !op.changes() && in.endedWithLease(f.why())) {
      op.prepared = false;
      op.waits = true;
      waiting.addFirst(op); // it changes no block, so that nothing has to wait for it
    } else if (in.endedWithLease(f.why())) {
      undecided.add(op);
    } else {
      fail(op, in.exception(f.why()));
    }
  }

  @Override
  public void mounted(BlockSession now) {
    session = now;
    isFull = false;
    failUndecided(
        new SalusException.Unavailable(
            "volume " + name + ": the writer's lease was lost before this was answered", null));
    pump();
  }

  /**
   * What no session has been given waits for the next one. If the session ended for a reason of its
   * own, changes fail instead. A flush waits where only room was missing.
   */
  @Override
  public void unmounted(SalusException why) {
    session = null;
    merger.take().forEach(this::await);
    if (why != null) {
      isFull = why instanceof SalusException.NoSpace;
      Predicate<Operation<?>> isLost = isFull ? Operation::needsRoom : Operation::changes;
      List<Operation<?>> lost = waiting.stream().filter(isLost).toList();
      waiting.removeIf(isLost);
      lost.forEach(this::forget);
      lost.forEach(op -> fail(op, why));
    }
    waiting.forEach(op -> op.prepared = false);
  }

  @Override
  public void delayed(SalusException why) {
    failUndecided(why);
    boolean changed = waiting.stream().anyMatch(op -> op.changes() && !op.result.wasCancelled());
    failWaiting(why);
    if (changed) {
      stop(why);
    }
  }

  private void failUndecided(SalusException why) {
    List<Operation<?>> failed = List.copyOf(undecided);
    undecided.clear();
    failed.forEach(op -> fail(op, why));
  }

  @Override
  public boolean waits() {
    return !waiting.isEmpty();
  }

  @Override
  public void ending(SalusException why) {
    ending = over.isDone() ? ending : why; // a fault has given its reason before
    session = null;
    merger.take().forEach(this::await);
  }

  @Override
  public void over(SalusException why) {
    closing = true;
    ending(why);
    delayed(why);
    over.complete(stopped != null && why instanceof SalusException.Closed ? stopped : why);
  }
}
