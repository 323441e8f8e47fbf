package org.salus.benchmarks.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The judge of the table: it must find fault where there is one. */
class WriteHistoryTest {
  private static final int WRITES = 200;

  private final WriteSequence workload = new WriteSequence(7, 16);
  private final WriteHistory history = new WriteHistory(workload);

  private void issueAll() {
    for (int i = 0; i < WRITES; i++) {
      history.acked(history.issue());
    }
  }

  /** What is there after the first so many writes. */
  private Map<Integer, Long> after(long prefix) {
    Map<Integer, Long> state = new HashMap<>();
    for (int b = 0; b < workload.blocks(); b++) {
      state.put(b, 0L);
    }
    for (long s = 1; s <= prefix; s++) {
      state.put(workload.block(s), s);
    }
    return state;
  }

  @Test
  void theStateAfterAllWritesIsOrdered() {
    issueAll();
    assertThat(history.state(after(WRITES))).isEqualTo(Verdict.PutVerdict.ORDERED);
  }

  @Test
  void aPrefixWithoutAcknowledgedWritesIsLost() {
    issueAll();
    assertThat(history.state(after(WRITES - 50))).isEqualTo(Verdict.PutVerdict.LOST);
  }

  @Test
  void aPrefixWithoutUnacknowledgedWritesIsOrdered() {
    issueAll();
    for (int i = 0; i < 50; i++) {
      history.issue();
    }
    assertThat(history.state(after(WRITES))).isEqualTo(Verdict.PutVerdict.ORDERED);
    assertThat(history.state(after(WRITES + 25))).isEqualTo(Verdict.PutVerdict.ORDERED);
  }

  @Test
  void aStateWithALaterWriteAndWithoutAnEarlierOneIsNotOrdered() {
    issueAll();
    Map<Integer, Long> state = after(WRITES);
    int block = workload.block(WRITES - 60);
    state.put(block, after(WRITES - 100).get(block));
    assertThat(history.state(state)).isEqualTo(Verdict.PutVerdict.NOT_ORDERED);
  }

  @Test
  void bytesThatNobodyWroteThereAreCorrupted() {
    issueAll();
    Map<Integer, Long> state = after(WRITES);
    state.put(3, workload.seqOf(3, new byte[] {1, 2, 3}));
    assertThat(history.state(state)).isEqualTo(Verdict.PutVerdict.CORRUPTED);
  }

  @Test
  void onlyTheLastWriteOfABlockIsFresh() {
    issueAll();
    int block = workload.block(WRITES);
    assertThat(history.isFresh(block, WRITES)).isTrue();
    assertThat(history.isFresh(block, after(WRITES - 1).get(block))).isFalse();
    assertThat(history.isFresh(block, 0)).isFalse();
    assertThat(history.isFresh(block, WriteSequence.JUNK)).isFalse();
  }

  @Test
  void aFailedWriteMayBeThereOrNot() {
    issueAll();
    long seq = history.issue();
    history.failed(seq);
    int block = workload.block(seq);
    assertThat(history.isFresh(block, seq)).isTrue();
    assertThat(history.isFresh(block, after(WRITES).get(block))).isTrue();
    assertThat(history.state(after(WRITES))).isEqualTo(Verdict.PutVerdict.ORDERED);
  }

  @Test
  void contentIsKnownByItsWriteAndOnlyInItsBlock() {
    byte[] data = workload.content(5);
    int block = workload.block(5);
    assertThat(workload.seqOf(block, data)).isEqualTo(5);
    assertThat(workload.seqOf((block + 1) % 16, data)).isEqualTo(WriteSequence.JUNK);
    data[4000] ^= 1;
    assertThat(workload.seqOf(block, data)).isEqualTo(WriteSequence.JUNK);
    assertThat(workload.seqOf(block, new byte[WriteSequence.BLOCK])).isZero();
  }
}
