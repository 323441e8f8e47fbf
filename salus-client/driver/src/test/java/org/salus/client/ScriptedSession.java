package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.session.block.ReadTarget;

/** A session that keeps blocks in an array and records its requests. */
final class ScriptedSession implements BlockSession {
  static final int BLOCK = 4096;

  /** The requests since the last look, such as {@code "read 3+1"}. */
  final List<String> asked = new ArrayList<>();

  /** Blocks whose reads fail. */
  final Map<Long, SessionError> bad = new HashMap<>();

  final byte[] bytes;

  /** Whether answers wait for {@link #answer}. */
  boolean holds;

  boolean leaseLost;
  boolean closed;

  private record Held(
      CompletableFuture<SessionEffect.Outcome> result, Supplier<SessionEffect.Outcome> effect) {}

  private final Deque<Held> held = new ArrayDeque<>();

  ScriptedSession(int blocks) {
    bytes = new byte[blocks * BLOCK];
  }

  /** The requests since the last call. */
  List<String> takeAsked() {
    List<String> taken = List.copyOf(asked);
    asked.clear();
    return taken;
  }

  /** Answers all waiting requests, in order. */
  void answer() {
    while (!held.isEmpty()) {
      answerFirst();
    }
  }

  /** Answers the oldest waiting request. */
  void answerFirst() {
    Held first = held.remove();
    first.result.complete(first.effect.get());
  }

  /** Answers the second oldest waiting request. */
  void answerSecond() {
    Held first = held.remove();
    answerFirst();
    held.addFirst(first);
  }

  /** Fails the oldest waiting request, of which something was sent. */
  void failFirst(SessionError why) {
    failFirst(why, true);
  }

  /**
   * Fails the oldest waiting request.
   *
   * @param inDoubt whether something of it was sent
   */
  void failFirst(SessionError why, boolean inDoubt) {
    held.remove().result.complete(new SessionEffect.Failed(0, why, inDoubt));
  }

  /** Fails the second oldest waiting request, of which nothing was sent. */
  void failSecond(SessionError why) {
    Held first = held.remove();
    failFirst(why, false);
    held.addFirst(first);
  }

  /** Fails all waiting requests, as a session does that ends. */
  void failAll(SessionError why) {
    while (!held.isEmpty()) {
      failFirst(why);
    }
  }

  private CompletableFuture<SessionEffect.Outcome> ask(
      String what, Supplier<SessionEffect.Outcome> effect) {
    asked.add(what);
    Held request = new Held(new CompletableFuture<>(), effect);
    if (holds) {
      held.add(request);
    } else {
      request.result.complete(effect.get());
    }
    return request.result;
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> read(
      long firstBlock, long count, ReadTarget into) {
    return ask(
        "read " + firstBlock + "+" + count,
        () -> {
          for (long b = firstBlock; b < firstBlock + count; b++) {
            if (bad.containsKey(b)) {
              return new SessionEffect.Failed(0, bad.get(b));
            }
          }
          for (long b = 0; b < count; b++) {
            into.put(b * BLOCK, ByteBuffer.wrap(bytes, (int) (firstBlock + b) * BLOCK, BLOCK));
          }
          return new SessionEffect.Done(0);
        });
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> readToChange(long block, ReadTarget into) {
    return read(block, 1, into);
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> write(
      long firstBlock, ByteBuffer data, boolean sync) {
    int length = data.remaining();
    return ask(
        "write " + firstBlock + "+" + length / BLOCK + (sync ? " sync" : ""),
        () -> {
          data.duplicate().get(bytes, (int) firstBlock * BLOCK, length);
          return new SessionEffect.Done(0);
        });
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> zero(long firstBlock, long count, boolean sync) {
    return ask(
        "zero " + firstBlock + "+" + count + (sync ? " sync" : ""),
        () -> {
          ByteBuffer.wrap(bytes)
              .position((int) firstBlock * BLOCK)
              .put(new byte[(int) count * BLOCK]);
          return new SessionEffect.Done(0);
        });
  }

  /** Reports the first half of a range as zeros, the rest as data. */
  @Override
  public CompletableFuture<SessionEffect.Outcome> zeroMap(long firstBlock, long count) {
    return ask(
        "zeroMap " + firstBlock + "+" + count,
        () ->
            new SessionEffect.ZeroMap(
                0,
                List.of(
                    new SessionEffect.Run(count / 2, true),
                    new SessionEffect.Run(count - count / 2, false))));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> flush() {
    return ask("flush", () -> new SessionEffect.Done(0));
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public boolean endedWithLease(SessionError why) {
    return why == SessionError.FENCED && leaseLost;
  }

  @Override
  public SalusException exception(SessionError why) {
    return switch (why) {
      case FENCED -> new SalusException.Fenced("fenced");
      case NO_SPACE -> new SalusException.NoSpace("no space");
      case INTEGRITY -> new SalusException.Integrity("integrity");
      case TIMED_OUT -> new SalusException.TimedOut("timed out");
      case CLOSED -> new SalusException.Closed("closed");
    };
  }
}
