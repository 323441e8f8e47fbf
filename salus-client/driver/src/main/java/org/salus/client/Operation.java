package org.salus.client;

import java.nio.BufferOverflowException;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;

/**
 * One call of a {@link Volume}, until it is issued to the session and done. Lives on the volume's
 * loop.
 */
abstract class Operation {
  final RemoteVolume volume;
  final long offset;
  final long length;
  final CompletableFuture<Void> result = new CompletableFuture<>();

  /** Whether {@link #prepare} was called. */
  boolean prepared;

  private int needed;
  private int attempt;

  /**
   * @param length 0: touches no block, and is in order all the same
   */
  Operation(RemoteVolume volume, long offset, long length) {
    this.volume = volume;
    this.offset = offset;
    this.length = length;
  }

  /** Starts what must be known before {@link #issue}. */
  void prepare() {}

  /** Hands the operation to the session. */
  abstract void issue();

  /** Whether it changes the volume, or makes changes durable. */
  boolean changes() {
    return true;
  }

  int block() {
    return volume.spec().blockSize();
  }

  long firstBlock() {
    return offset / block();
  }

  /** The block after the last. */
  long endBlock() {
    return (offset + length + block() - 1) / block();
  }

  boolean overlaps(Operation o) {
    return firstBlock() < o.endBlock() && o.firstBlock() < endBlock();
  }

  final boolean needsNothing() {
    return needed == 0;
  }

  /** Reads a block that is to be changed in part. */
  final void need(long block, java.nio.ByteBuffer into) {
    int mine = attempt;
    needed++;
    request((session, id, now) -> session.read(id, block, into, now))
        .thenAccept(
            e -> {
              if (mine != attempt) {
                return; // of a session that is over
              }
              if (e instanceof SessionEffect.Failed f) {
                if (f.why() != SessionError.INTEGRITY && f.why() != SessionError.TIMED_OUT) {
                  return; // the session is over: the next one reads it again
                }
                fail(volume.mounter().exception(f.why()));
              }
              needed--;
              volume.pump();
            });
  }

  /** The session is over: what was read for it is read again from the next. */
  final void forget() {
    attempt++;
    needed = 0;
    prepared = false;
  }

  final CompletableFuture<SessionEffect.Outcome> request(Mount.Request r) {
    return volume.mount().request(r);
  }

  /** Ends with the request; one that only reads is tried again by the next session. */
  final void finishWith(CompletableFuture<SessionEffect.Outcome> request) {
    request.thenAccept(this::finish);
  }

  final void finish(SessionEffect.Outcome e) {
    if (!(e instanceof SessionEffect.Failed f)) {
      if (changes()) {
        volume.mounter().hasRoom();
      }
      try {
        done(e);
        result.complete(null);
      } catch (BufferOverflowException | IllegalArgumentException changed) {
        result.completeExceptionally(
            changed); // the buffer is not any more what it was when it was given
      }
    } else if (!changes()
        && (f.why() == SessionError.NO_SPACE || volume.mounter().endedWithLease(f.why()))) {
      volume.retry(this);
    } else if (volume.mounter().endedWithLease(f.why())) {
      volume.hold(this);
    } else {
      fail(volume.mounter().exception(f.why()));
    }
  }

  /** The request succeeded. */
  void done(SessionEffect.Outcome e) {}

  final void fail(SalusException why) {
    result.completeExceptionally(why);
  }
}
