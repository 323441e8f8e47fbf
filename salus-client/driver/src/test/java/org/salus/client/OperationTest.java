package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;

/** Checks what each kind of operation asks of a session, and what it makes of the answer. */
class OperationTest {
  private static final int BLOCK = ScriptedSession.BLOCK;
  private static final byte OLD = 1;
  private static final byte NEW = 2;

  private final ScriptedSession session = new ScriptedSession(8);

  OperationTest() {
    Arrays.fill(session.bytes, OLD);
  }

  private static ByteBuffer data(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, NEW);
    return ByteBuffer.wrap(bytes);
  }

  private void run(Operation<?> op) {
    op.prepare(session).forEach(read -> assertThat(read).isCompleted());
    CompletableFuture<SessionEffect.Outcome> issued = op.issue(session);
    assertThat(issued).isCompleted();
    op.succeed(issued.join());
    assertThat(op.result).isCompleted();
  }

  /** Asserts that the bytes of a range have changed and those before and after it have not. */
  private void assertOnly(long from, long to, byte value) {
    for (int i = 0; i < session.bytes.length; i++) {
      assertThat(session.bytes[i]).as("byte %d", i).isEqualTo(i >= from && i < to ? value : OLD);
    }
  }

  @Test
  void writeOfWholeBlocksReadsNothing() {
    run(new WriteOperation(BLOCK, BLOCK, data(2 * BLOCK), false));
    assertThat(session.takeAsked()).containsExactly("write 1+2");
    assertOnly(BLOCK, 3 * BLOCK, NEW);
  }

  @Test
  void unalignedWriteReadsOnlyItsEdges() {
    run(new WriteOperation(BLOCK, BLOCK + 100, data(3 * BLOCK), true));
    assertThat(session.takeAsked()).containsExactly("read 1+1", "read 4+1", "write 1+4 sync");
    assertOnly(BLOCK + 100, 4 * BLOCK + 100, NEW);
  }

  @Test
  void writeThatEndsWithABlockReadsOnlyItsFirst() {
    run(new WriteOperation(BLOCK, BLOCK + 100, data(2 * BLOCK - 100), false));
    assertThat(session.takeAsked()).containsExactly("read 1+1", "write 1+2");
    assertOnly(BLOCK + 100, 3 * BLOCK, NEW);
  }

  @Test
  void writeThatBeginsWithABlockReadsOnlyItsLast() {
    run(new WriteOperation(BLOCK, BLOCK, data(BLOCK + 100), false));
    assertThat(session.takeAsked()).containsExactly("read 2+1", "write 1+2");
    assertOnly(BLOCK, 2 * BLOCK + 100, NEW);
  }

  @Test
  void writeInsideOneBlockReadsItOnce() {
    run(new WriteOperation(BLOCK, 2 * BLOCK + 10, data(20), false));
    run(new WriteOperation(BLOCK, 2 * BLOCK, data(20), false));
    assertThat(session.takeAsked())
        .containsExactly("read 2+1", "write 2+1", "read 2+1", "write 2+1");
    assertOnly(2 * BLOCK, 2 * BLOCK + 30, NEW);
  }

  @Test
  void zeroingWritesPartsAndGivesWholeBlocksBack() {
    run(new ZeroOperation(BLOCK, BLOCK + 100, 3 * BLOCK, true));
    assertThat(session.takeAsked())
        .containsExactly(
            "read 1+1", "read 4+1", "write 1+1 sync", "zero 2+2 sync", "write 4+1 sync");
    assertOnly(BLOCK + 100, 4 * BLOCK + 100, (byte) 0);
  }

  @Test
  void zeroingOfWholeBlocksReadsAndWritesNothing() {
    run(new ZeroOperation(BLOCK, BLOCK, 3 * BLOCK, false));
    assertThat(session.takeAsked()).containsExactly("zero 1+3");
    assertOnly(BLOCK, 4 * BLOCK, (byte) 0);
  }

  @Test
  void zeroingInsideOneBlockWritesItOnce() {
    run(new ZeroOperation(BLOCK, 2 * BLOCK + 10, 20, false));
    run(new ZeroOperation(BLOCK, 2 * BLOCK, 10, false));
    assertThat(session.takeAsked())
        .containsExactly("read 2+1", "write 2+1", "read 2+1", "write 2+1");
    assertOnly(2 * BLOCK, 2 * BLOCK + 30, (byte) 0);
  }

  @Test
  void zeroingFailsWhenOnePartDoes() {
    for (int part = 0; part < 3; part++) {
      ZeroOperation op = new ZeroOperation(BLOCK, BLOCK + 100, 3 * BLOCK, false);
      session.holds = false;
      op.prepare(session);
      session.holds = true;
      CompletableFuture<SessionEffect.Outcome> issued = op.issue(session);
      for (int i = 0; i < part; i++) {
        session.answerFirst();
      }
      session.failFirst(SessionError.TIMED_OUT);
      session.answer();
      assertThat(issued.join()).as("part %d failed", part).isInstanceOf(SessionEffect.Failed.class);
    }
  }

  @Test
  void readOfWholeBlocksFillsTheCallersBuffer() {
    ByteBuffer dst = ByteBuffer.allocate(2 * BLOCK);
    run(new ReadOperation(BLOCK, BLOCK, dst));
    assertThat(session.takeAsked()).containsExactly("read 1+2");
    assertThat(dst.position()).isZero();
    assertThat(dst.array()).containsOnly(OLD);
  }

  @Test
  void unalignedReadReadsTheBlocksAround() {
    session.bytes[2 * BLOCK] = NEW;
    ByteBuffer dst = ByteBuffer.allocate(200);
    run(new ReadOperation(BLOCK, 2 * BLOCK - 100, dst));
    assertThat(session.takeAsked()).containsExactly("read 1+2");
    assertThat(dst.get(99)).isEqualTo(OLD);
    assertThat(dst.get(100)).isEqualTo(NEW);
  }

  @Test
  void readFillsWhatWasLeftOfItsBufferAtTheCall() {
    ByteBuffer dst = ByteBuffer.allocate(200).position(50).limit(150);
    ReadOperation op = new ReadOperation(BLOCK, 100, dst);
    dst.clear().limit(10);
    op.succeed(op.issue(session).join());
    assertThat(op.result).isCompleted();
    for (int i = 0; i < 200; i++) {
      assertThat(dst.array()[i]).as("byte %d", i).isEqualTo(i >= 50 && i < 150 ? OLD : 0);
    }
  }

  @Test
  void writeWritesWhatItsBufferHeldAtTheCall() {
    ByteBuffer src = data(200);
    WriteOperation op = new WriteOperation(BLOCK, BLOCK - 100, src, false);
    src.limit(10);
    Arrays.fill(src.array(), (byte) 99);
    run(op);
    assertOnly(BLOCK - 100, BLOCK + 100, NEW);
  }

  @Test
  void extentsAreCutToTheRange() {
    ExtentsOperation op = new ExtentsOperation(BLOCK, BLOCK + 100, 2 * BLOCK);
    run(op);
    assertThat(session.takeAsked()).containsExactly("zeroMap 1+3");
    assertThat(op.result.join())
        .isEqualTo(
            List.of(
                new Volume.Extent(BLOCK + 100, BLOCK - 100, true),
                new Volume.Extent(2 * BLOCK, BLOCK + 100, false)));
  }
}
