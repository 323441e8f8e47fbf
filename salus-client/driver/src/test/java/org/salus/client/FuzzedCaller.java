package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that calls a volume at random, and knows what each byte of its own part of the volume
 * may be. The part is made of cells that fit no block. It shares its first and last block with
 * others.
 */
final class FuzzedCaller {
  private static final int BLOCK = MemoryMembers.SPEC.blockSize();
  private static final int CELL = 97;
  private static final int CELLS = 400;
  private static final byte FOREIGN = 0x5a;

  /** The content of a cell that was zeroed, or never written. */
  private static final int ZEROS = 0;

  private enum Outcome {
    DONE,
    NOT_DONE,
    UNKNOWN
  }

  /** A call, and what became of it. */
  private static final class Call {
    final char kind;
    final int from;
    final int to;

    /** What a change puts into the cells. */
    final int content;

    /** Where a read goes; it begins and ends with a byte that is not the driver's. */
    final byte[] into;

    CompletableFuture<?> future;
    boolean cancelled;
    boolean timed;

    /** Whether its caller uses the buffer again. */
    boolean reused;

    Outcome outcome;

    Call(char kind, int from, int to, int content) {
      this.kind = kind;
      this.from = from;
      this.to = to;
      this.content = content;
      this.into = new byte[kind == 'r' ? (to - from) * CELL + 2 : 0];
      Arrays.fill(into, FOREIGN);
    }

    boolean changes() {
      return kind == 'w' || kind == 'z';
    }
  }

  private final FuzzedCluster cluster;
  private final int number;
  private final Random random;

  /** Whether callbacks run on the loop, and must not wait there. */
  private final boolean onLoop;

  private final long base;

  /** For each cell the last content that is there for certain, and those that may have followed. */
  private final List<List<Integer>> may = new ArrayList<>();

  private final List<CompletableFuture<?>> nested = new ArrayList<>();
  private int contents;

  FuzzedCaller(FuzzedCluster cluster, int number, long seed, boolean onLoop) {
    this.cluster = cluster;
    this.number = number;
    this.random = new Random(seed);
    this.onLoop = onLoop;
    this.base = 1001 + (long) number * CELLS * CELL;
    for (int cell = 0; cell < CELLS; cell++) {
      may.add(new ArrayList<>(List.of(ZEROS)));
    }
  }

  /** Makes some calls without waiting, then waits for all and compares. */
  void turn(RemoteVolume volume, boolean mayEnd) {
    List<Call> calls = new ArrayList<>();
    int most = 1 + random.nextInt(random.nextInt(5) == 0 ? 100 : 15);
    for (int i = 0; i < most; i++) {
      if (random.nextInt(12) == 0) {
        callWrongly(volume);
      } else {
        calls.add(call(volume));
      }
    }
    calls.forEach(c -> cluster.await(c.future));
    calls.forEach(c -> judge(c, mayEnd));
    for (int i = 0; i < calls.size(); i++) {
      settle(calls, i);
    }
    nested().forEach(cluster::await);
  }

  /** Reads all that it has written, when nothing goes wrong, and writes once more. */
  void checkAll(RemoteVolume volume) {
    Call all = new Call('r', 0, CELLS, ZEROS);
    perform(volume, all);
    Call last = new Call('w', 0, CELLS, next());
    perform(volume, last);
    Call again = new Call('r', 0, CELLS, ZEROS);
    perform(volume, again);
    List<Call> calls = List.of(all, last, again);
    calls.forEach(c -> cluster.await(c.future));
    calls.forEach(c -> judge(c, false));
    for (Call c : calls) {
      if (c.outcome != Outcome.DONE) {
        throw new AssertionError("call " + c.kind + " failed in the end", failure(c.future));
      }
    }
    for (int i = 0; i < calls.size(); i++) {
      settle(calls, i);
    }
  }

  private int next() {
    return (++contents << 4) + number + 1;
  }

  // ---- calls ----

  private Call call(RemoteVolume volume) {
    int from = random.nextInt(CELLS);
    int most = random.nextInt(6) == 0 ? CELLS : 30;
    int to = from + 1 + random.nextInt(Math.min(most, CELLS - from));
    int dice = random.nextInt(100);
    char kind = dice < 45 ? 'w' : dice < 55 ? 'z' : dice < 88 ? 'r' : dice < 94 ? 'f' : 'e';
    Call c = new Call(kind, from, to, kind == 'w' ? next() : ZEROS);
    perform(volume, c);
    if (kind != 'e') {
      disturb(volume, c);
    }
    return c;
  }

  private void perform(RemoteVolume volume, Call c) {
    long offset = base + (long) c.from * CELL;
    int length = (c.to - c.from) * CELL;
    boolean fua = random.nextInt(10) == 0;
    switch (c.kind) {
      case 'w' -> {
        ByteBuffer src = source(c, length);
        c.future = volume.write(offset, src, fua);
        src.clear();
        while (src.hasRemaining()) {
          src.put(FOREIGN);
        }
        src.limit(0);
      }
      case 'z' -> c.future = volume.writeZeroes(offset, length, fua);
      case 'r' -> {
        ByteBuffer dst = ByteBuffer.wrap(c.into).position(1).limit(length + 1);
        c.future = volume.read(offset, dst);
        dst.position(0).limit(1);
      }
      case 'f' -> c.future = volume.flush();
      default ->
          c.future = volume.extents(offset, length).thenAccept(e -> covers(e, offset, length));
    }
  }

  private static void covers(List<Volume.Extent> extents, long offset, long length) {
    long at = offset;
    for (Volume.Extent e : extents) {
      assertThat(e.offset()).isEqualTo(at);
      at += e.length();
    }
    assertThat(at).isEqualTo(offset + length);
  }

  private ByteBuffer source(Call c, int length) {
    int before = random.nextInt(3);
    ByteBuffer src =
        random.nextBoolean()
            ? ByteBuffer.allocateDirect(before + length)
            : ByteBuffer.allocate(before + length);
    src.position(before);
    for (int cell = c.from; cell < c.to; cell++) {
      for (int i = 0; i < CELL; i++) {
        src.put(byteOf(c.content, cell, i));
      }
    }
    return src.position(before);
  }

  private static byte byteOf(int content, int cell, int i) {
    return content == ZEROS
        ? 0
        : (byte) ((content * 0x9e3779b9 + cell * 31 + i) * 0x85ebca6b >>> 19);
  }

  /** What the user may do to a request. */
  private void disturb(RemoteVolume volume, Call c) {
    switch (random.nextInt(30)) {
      case 0, 1 -> {
        pause();
        c.cancelled = c.future.cancel(true);
      }
      case 2 -> {
        c.timed = true;
        c.future.orTimeout(1 + random.nextInt(20), TimeUnit.MILLISECONDS);
      }
      case 3 ->
          c.future.whenComplete(
              (done, failed) -> {
                throw new IllegalStateException("a callback of the fuzz throws");
              });
      case 4 -> c.future.whenComplete((done, failed) -> block(volume));
      case 5 -> c.future.whenComplete((done, failed) -> callAgain(volume));
      case 6 -> c.future.copy().cancel(true);
      case 7 -> assertThatThrownBy(() -> c.future.complete(null)).isNotNull();
      case 8 -> pause();
      default -> {}
    }
    if (c.kind == 'r' && (c.cancelled || c.timed && c.future.isDone() && failedLate(c))) {
      Arrays.fill(c.into, FOREIGN);
      c.reused = true;
    }
  }

  private static boolean failedLate(Call c) {
    return failure(c.future) instanceof TimeoutException;
  }

  private void pause() {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(300)));
  }

  private void block(RemoteVolume volume) {
    CompletableFuture<Void> flush = volume.flush();
    add(flush);
    if (!onLoop) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      return;
    }
    try {
      flush.join();
    } catch (IllegalStateException | CompletionException expected) {
      return; // on the loop nobody may wait
    }
  }

  private void callAgain(RemoteVolume volume) {
    add(volume.read(0, ByteBuffer.allocate(1 + ThreadLocalRandom.current().nextInt(5000))));
    add(volume.flush());
  }

  private void add(CompletableFuture<?> call) {
    synchronized (nested) {
      nested.add(call);
    }
  }

  private List<CompletableFuture<?>> nested() {
    synchronized (nested) {
      List<CompletableFuture<?>> all = List.copyOf(nested);
      nested.clear();
      return all;
    }
  }

  private void callWrongly(RemoteVolume volume) {
    ByteBuffer some = ByteBuffer.allocate(1 + random.nextInt(5000));
    long size = volume.size();
    List<Runnable> calls =
        List.of(
            () -> volume.write(-1 - random.nextInt(10), some),
            () -> volume.write(size - some.remaining() + 1, some),
            () -> volume.write(Long.MAX_VALUE, some),
            () -> volume.read(size, some),
            () -> volume.read(0, some.asReadOnlyBuffer()),
            () -> volume.writeZeroes(0, -1, false),
            () -> volume.writeZeroes(1, size, false),
            () -> volume.writeZeroes(1, Long.MAX_VALUE, false),
            () -> volume.extents(Long.MIN_VALUE, 1));
    assertThatThrownBy(calls.get(random.nextInt(calls.size()))::run)
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- what became of them ----

  private static Throwable failure(CompletableFuture<?> future) {
    Throwable why = future.handle((done, failed) -> failed).join();
    return why instanceof CompletionException ? why.getCause() : why;
  }

  private void judge(Call c, boolean mayEnd) {
    Throwable why = failure(c.future);
    if (why == null) {
      c.outcome = Outcome.DONE;
    } else if (why instanceof CancellationException) {
      assertThat(c.cancelled).as("nobody else cancels").isTrue();
      c.outcome = Outcome.NOT_DONE;
    } else if (why instanceof SalusException.Overloaded) {
      c.outcome = Outcome.NOT_DONE;
    } else {
      boolean inDoubt = why instanceof SalusException.UnknownOutcome;
      Throwable reason = inDoubt ? ((SalusException.UnknownOutcome) why).reason() : why;
      boolean ends =
          reason instanceof SalusException.Broken || reason instanceof SalusException.Closed;
      boolean expected =
          reason instanceof TimeoutException && c.timed
              || reason instanceof SalusException.TimedOut
              || reason instanceof SalusException.NoSpace
              || reason instanceof SalusException.Unavailable
              || reason instanceof SalusException.Failed
              || ends && mayEnd;
      if (!expected) {
        throw new AssertionError("call " + c.kind + " failed", why);
      }
      boolean isSure = why instanceof SalusException && !inDoubt;
      c.outcome = isSure ? Outcome.NOT_DONE : Outcome.UNKNOWN;
    }
    assertThat(c.cancelled && c.changes() && c.outcome == Outcome.DONE)
        .as("a change that was cancelled takes effect")
        .isFalse();
  }

  /** Compares a read with what may be there, and notes a change. */
  private void settle(List<Call> calls, int at) {
    Call c = calls.get(at);
    if (c.reused) {
      assertThat(c.into).as("the buffer of a read that has ended").containsOnly(FOREIGN);
    } else if (c.kind == 'r' && c.outcome == Outcome.DONE) {
      assertThat(new byte[] {c.into[0], c.into[c.into.length - 1]}).containsOnly(FOREIGN);
      for (int cell = c.from; cell < c.to; cell++) {
        compare(c, cell, calls.subList(at + 1, calls.size()));
      }
    } else if (c.changes() && c.outcome != Outcome.NOT_DONE) {
      for (List<Integer> cell : may.subList(c.from, c.to)) {
        if (c.outcome == Outcome.DONE) {
          cell.clear();
        }
        cell.add(c.content);
      }
    }
  }

  /** Compares a cell. What lies in two blocks may be of two changes. */
  private void compare(Call read, int cell, List<Call> later) {
    long offset = base + (long) cell * CELL;
    int inFirst = (int) Math.min(CELL, BLOCK - offset % BLOCK);
    compare(read, cell, 0, inFirst, later);
    compare(read, cell, inFirst, CELL, later);
  }

  private void compare(Call read, int cell, int from, int to, List<Call> later) {
    boolean right = false;
    for (int content : may.get(cell)) {
      right |= is(read, cell, from, to, content);
    }
    for (Call c : right ? List.<Call>of() : later) {
      right |=
          c.changes()
              && c.outcome != Outcome.NOT_DONE
              && c.from <= cell
              && cell < c.to
              && is(read, cell, from, to, c.content);
    }
    if (!right) {
      throw new AssertionError(
          "caller "
              + number
              + " read "
              + found(read, cell, from, to)
              + " instead of "
              + may.get(cell)
              + " in bytes "
              + from
              + " to "
              + to
              + " at offset "
              + (base + (long) cell * CELL));
    }
  }

  /** What a read has found in a cell, in words. */
  private String found(Call read, int cell, int from, int to) {
    for (int i = 0; i <= contents; i++) {
      int content = i == 0 ? ZEROS : (i << 4) + number + 1;
      if (is(read, cell, from, to, content)) {
        return "content " + content;
      }
    }
    int begin = 1 + (cell - read.from) * CELL;
    return "bytes " + HexFormat.of().formatHex(read.into, begin + from, begin + to);
  }

  private static boolean is(Call read, int cell, int from, int to, int content) {
    int begin = 1 + (cell - read.from) * CELL;
    for (int i = from; i < to; i++) {
      if (read.into[begin + i] != byteOf(content, cell, i)) {
        return false;
      }
    }
    return true;
  }
}
