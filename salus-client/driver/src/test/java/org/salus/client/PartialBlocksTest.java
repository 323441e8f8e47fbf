package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.client.MemoryClient.reason;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of parts of blocks keep the rest, and read no more than they must. */
class PartialBlocksTest {
  private static final int BLOCK = 4096;
  private static final byte OLD = 1;

  /** More than a client remembers of its writes. */
  private static final int FILLED = 64;

  private static ByteBuffer bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  /** A client of which the first blocks hold something that it has not written lately. */
  private static MemoryClient filled() throws Exception {
    MemoryClient c = MemoryClient.opened();
    CompletableFuture<Void> written = c.volume.write(0, bytes(FILLED * BLOCK, OLD));
    c.loop.settle();
    assertThat(written).isCompleted();
    return c;
  }

  private static byte[] read(MemoryClient c, long offset, int length) {
    ByteBuffer into = ByteBuffer.allocate(length);
    CompletableFuture<Void> read = c.volume.read(offset, into);
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(read).isCompleted();
    return into.array();
  }

  private static void assertDone(List<CompletableFuture<Void>> requests) {
    assertThat(requests).allMatch(f -> f.isDone() && !f.isCompletedExceptionally());
  }

  @Test
  void writesInOrderReadEachBlockOnce() throws Exception {
    MemoryClient c = filled();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    byte[] expected = new byte[FILLED * BLOCK];
    Arrays.fill(expected, OLD);
    for (int at = 100; at + 1024 < FILLED * BLOCK; at += 1024) {
      writes.add(c.volume.write(at, bytes(1024, at)));
      Arrays.fill(expected, at, at + 1024, (byte) at);
    }
    c.loop.settle();
    assertDone(writes);
    assertThat(c.members.reads).isEqualTo(FILLED);
    assertThat(read(c, 0, FILLED * BLOCK)).isEqualTo(expected);
  }

  /** Nothing is answered, so nothing could be read. */
  @Test
  void whatIsUnderWayIsNotRead() throws Exception {
    MemoryClient c = filled();
    c.members.silent = true;
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    changes.add(c.volume.write(3 * BLOCK, bytes(BLOCK, 2)));
    changes.add(c.volume.write(3 * BLOCK + 10, bytes(20, 3)));
    changes.add(c.volume.flush());
    changes.add(c.volume.writeZeroes(3 * BLOCK + 15, 20, false));
    changes.add(c.volume.write(3 * BLOCK + 17, bytes(BLOCK - 17, 4)));
    changes.add(c.volume.writeZeroes(4 * BLOCK, 2 * BLOCK, false));
    changes.add(c.volume.write(5 * BLOCK + 1, bytes(1, 5)));
    c.loop.settle();
    assertThat(c.members.reads).isZero();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(1));
    assertDone(changes);
    assertThat(c.members.reads).isZero();
    byte[] found = read(c, 3 * BLOCK, 3 * BLOCK);
    assertThat(Arrays.copyOf(found, 18)).containsExactly(expectedBeginning());
    assertThat(Arrays.copyOfRange(found, 17, BLOCK)).containsOnly(4);
    assertThat(Arrays.copyOfRange(found, BLOCK, 2 * BLOCK + 1)).containsOnly(0);
    assertThat(found[2 * BLOCK + 1]).isEqualTo((byte) 5);
    assertThat(Arrays.copyOfRange(found, 2 * BLOCK + 2, 3 * BLOCK)).containsOnly(0);
  }

  private static byte[] expectedBeginning() {
    byte[] b = new byte[18];
    Arrays.fill(b, 0, 10, (byte) 2);
    Arrays.fill(b, 10, 15, (byte) 3);
    b[17] = 4;
    return b;
  }

  @Test
  void blockThatWasWrittenLatelyIsNotRead() throws Exception {
    MemoryClient c = filled();
    assertThat(c.write(7 * BLOCK + 5, 2)).isCompleted();
    assertThat(c.members.reads).isEqualTo(1);
    for (int i = 0; i < 20; i++) {
      assertThat(c.write(7 * BLOCK + 100 + i, 3)).isCompleted();
    }
    assertThat(c.members.reads).isEqualTo(1);
    assertThat(read(c, 7 * BLOCK, 200)).startsWith(1, 1, 1, 1, 1, 2, 1).endsWith(1, 1);
  }

  @Test
  void blockThatWasNeverWrittenIsNotRead() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(9 * BLOCK + 5, 2)).isCompleted();
    assertThat(c.members.reads).isZero();
  }

  /** What a client remembers is bounded. */
  @Test
  void blockThatWasWrittenLongAgoIsReadOnce() throws Exception {
    MemoryClient c = filled();
    c.volume.write(100 * BLOCK, bytes(BLOCK, 2));
    for (int i = 0; i < 20; i++) {
      c.volume.write((long) i * BLOCK, bytes(BLOCK, 3));
    }
    c.loop.settle();
    assertThat(c.write(100 * BLOCK, 4)).isCompleted();
    assertThat(c.members.reads).isEqualTo(1);
    assertThat(read(c, 100 * BLOCK, 3)).containsExactly(4, 2, 2);
  }

  /** The volume went back, so what the client wrote before is not there any more. */
  @Test
  void nothingIsKnownOfWhatAPowerCutTook() throws Exception {
    MemoryClient c = new MemoryClient(true);
    c.open();
    c.volume.write(5 * BLOCK, bytes(BLOCK, 2));
    c.loop.settle();
    c.serversLosePower();
    c.serversComeBack();
    CompletableFuture<Void> written = c.write(5 * BLOCK + 9, 3);
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT.multipliedBy(3));
    assertThat(written).isCompleted();
    assertThat(read(c, 5 * BLOCK, 12)).containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0);
  }

  @Test
  void nothingIsKnownOfWritesOfASessionThatTimedOut() throws Exception {
    MemoryClient c = filled();
    c.members.silent = true;
    CompletableFuture<Void> lost = c.volume.write(5 * BLOCK, bytes(BLOCK, 2));
    CompletableFuture<Void> alsoLost = c.volume.write(5 * BLOCK + 1, bytes(1, 9));
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(reason(lost)).isInstanceOf(SalusException.TimedOut.class);
    assertThat(reason(alsoLost)).isInstanceOf(SalusException.TimedOut.class);
    c.members.silent = false;
    CompletableFuture<Void> next = c.volume.write(5 * BLOCK + 2, bytes(1, 3));
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT.multipliedBy(3));
    assertThat(next).isCompleted();
    assertThat(read(c, 5 * BLOCK, 5)).containsExactly(1, 1, 3, 1, 1);
  }

  @Test
  void nothingIsKnownOfWritesThatFoundNoRoom() throws Exception {
    MemoryClient c = filled();
    c.members.refusesChanges = true;
    CompletableFuture<Void> refused = c.volume.write(5 * BLOCK, bytes(BLOCK, 2));
    c.loop.settle();
    assertThat(reason(refused)).isInstanceOf(SalusException.NoSpace.class);
    c.members.refusesChanges = false;
    c.loop.advance(Duration.ofSeconds(30));
    assertThat(c.write(5 * BLOCK + 2, 3)).isCompleted();
    assertThat(read(c, 5 * BLOCK, 5)).containsExactly(1, 1, 3, 1, 1);
  }

  /**
   * A write that was cancelled while its block was read changes nothing, for later ones neither.
   */
  @Test
  void writeThatIsCancelledWhileItsBlockIsReadLeavesNothing() throws Exception {
    MemoryClient c = filled();
    c.members.silent = true;
    CompletableFuture<Void> cancelled = c.volume.write(5 * BLOCK, bytes(10, 2));
    CompletableFuture<Void> next = c.volume.write(5 * BLOCK + 3, bytes(1, 3));
    c.loop.settle();
    assertThat(cancelled.cancel(true)).isTrue();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(next).isCompleted();
    assertThat(read(c, 5 * BLOCK, 5)).containsExactly(1, 1, 1, 3, 1);
  }

  /**
   * Overlaps in flight, whole blocks and parts, zeroings and flushes, and messages that are lost.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyChangeTakesEffectInTheOrderOfTheCalls(long seed) throws Exception {
    Random random = new Random(seed);
    MemoryClient c = filled();
    byte[] model = new byte[FILLED * BLOCK];
    Arrays.fill(model, OLD);
    int window = (1 + random.nextInt(FILLED)) * BLOCK;
    List<CompletableFuture<Void>> requests = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int length = 1 + random.nextInt(random.nextBoolean() ? 600 : 3 * BLOCK);
      int from = random.nextInt(Math.max(1, window - length));
      int to = Math.min(window, from + length);
      c.members.losesOneOf = random.nextInt(20) == 0 ? 2 + random.nextInt(20) : 0;
      switch (random.nextInt(10)) {
        case 0 -> {
          requests.add(c.volume.writeZeroes(from, to - from, random.nextBoolean()));
          Arrays.fill(model, from, to, (byte) 0);
        }
        case 1 -> requests.add(c.volume.flush());
        case 2 ->
            assertThat(read(c, from, to - from)).isEqualTo(Arrays.copyOfRange(model, from, to));
        default -> {
          byte[] data = new byte[to - from];
          random.nextBytes(data);
          requests.add(c.volume.write(from, ByteBuffer.wrap(data), random.nextInt(9) == 0));
          System.arraycopy(data, 0, model, from, data.length);
        }
      }
      if (random.nextInt(4) == 0) {
        c.loop.settle();
      }
    }
    c.loop.advance(Duration.ofSeconds(4));
    assertDone(requests);
    for (int lane = 0; lane < 3; lane++) {
      c.members.reader = lane;
      assertThat(read(c, 0, model.length)).isEqualTo(model);
    }
  }
}
