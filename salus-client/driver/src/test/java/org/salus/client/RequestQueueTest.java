package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;

/** The order in which requests reach their session, over scripted sessions. */
class RequestQueueTest extends OverScriptedSessions {
  @Test
  void requestsWaitForTheFirstMountInOrder() {
    write(0, BLOCK);
    read(0, 1);
    write(BLOCK, BLOCK);
    assertThat(session.asked).isEmpty();
    queue.mounted(session);
    assertThat(session.takeAsked()).containsExactly("write 0+1", "read 0+1", "write 1+1");
  }

  @Test
  void whatIsCalledAfterAnUnalignedWriteWaitsBehindIt() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    write(BLOCK, BLOCK);
    read(0, 1);
    assertThat(session.takeAsked()).containsExactly("read 0+1");
    session.answer();
    assertThat(session.takeAsked()).containsExactly("write 0+1", "write 1+1", "read 0+1");
  }

  @Test
  void readOfOtherBlocksDoesNotWaitBehindAnUnalignedWrite() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    read(1, 1);
    loop.settle();
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
  }

  @Test
  void unalignedWritesOfOtherBlocksReadSideBySide() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    write(3 * BLOCK + 10, 20);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 3+1");
    session.answer();
    assertThat(session.takeAsked()).containsExactly("write 0+1", "write 3+1");
  }

  @Test
  void unalignedWriteWaitsForBothItsEdges() {
    queue.mounted(session);
    session.holds = true;
    write(10, BLOCK);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
    session.answerFirst();
    assertThat(session.asked).isEmpty();
    session.answerFirst();
    assertThat(session.takeAsked()).containsExactly("write 0+2");
  }

  @Test
  void twoUnalignedWritesOfOneBlockKeepEachOthersBytes() {
    queue.mounted(session);
    session.holds = true;
    add(new WriteOperation(BLOCK, 0, ByteBuffer.wrap(new byte[] {1}), false));
    add(new WriteOperation(BLOCK, 1, ByteBuffer.wrap(new byte[] {2}), false));
    for (int i = 0; i < 4; i++) {
      session.answer();
    }
    assertThat(session.bytes).startsWith(1, 2, 0);
  }

  @Test
  void writeAfterGatheredReadsIsIssuedAfterThem() {
    queue.mounted(session);
    read(0, 1);
    write(0, BLOCK);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "write 0+1");
  }

  @Test
  void unalignedWriteWhoseBlockIsBadFailsAndIsNotWritten() {
    queue.mounted(session);
    session.bad.put(0L, SessionError.INTEGRITY);
    WriteOperation bad = write(10, 20);
    WriteOperation good = write(BLOCK, BLOCK);
    assertThat(failure(bad)).isInstanceOf(SalusException.Integrity.class);
    assertThat(good.result).isCompleted();
    assertThat(session.takeAsked()).containsExactly("read 0+1", "write 1+1");
  }
}
