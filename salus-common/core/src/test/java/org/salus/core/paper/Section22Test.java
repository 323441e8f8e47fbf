package org.salus.core.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.paper.PaperVolume.block;

import org.junit.jupiter.api.Test;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.PutRequest;

/** Section 2.2 of the paper: what a disk guarantees. */
class Section22Test {
  private final PaperVolume volume = new PaperVolume(2);

  @Test
  void s22_freshness_aReadReturnsTheLatestCommittedWrite() {
    volume.write(block(0, 3), 1);
    volume.write(block(0, 3), 2);
    assertThat(volume.value(volume.read(block(0, 3)))).isEqualTo(2);
    assertThat(volume.value(volume.read(block(0, 4)))).as("never written").isZero();
  }

  @Test
  void s22_orderedCommit_aWriteCommitsOnlyAfterEveryWriteBefore() {
    volume.hold(s -> s.is(PutRequest.class) && s.isTo(0, 0));
    long first = volume.write(block(0, 3), 1);
    long second = volume.write(block(1, 3), 2);
    assertThat(volume.puts(1, 0)).as("its own region has it").isEqualTo(1);
    assertThat(volume.sent(Commit.class)).isEmpty();
    assertThat(volume.isDone(second)).isFalse();
    volume.release();
    assertThat(volume.isDone(first)).isTrue();
    assertThat(volume.isDone(second)).isTrue();
  }

  @Test
  void s22_barrier_aFlushIsDoneOnlyWhenEveryWriteBeforeIsOnDisk() {
    volume.write(block(0, 3), 1);
    volume.write(block(1, 3), 1);
    int before = volume.syncedAppends(0, 0) + volume.syncedAppends(1, 0);
    volume.stallDisk(1, 2);
    long flush = volume.flush();
    assertThat(volume.syncedAppends(0, 0) + volume.syncedAppends(1, 0))
        .as("a synced append in each region that holds a write")
        .isEqualTo(before + 2);
    assertThat(volume.isDone(flush)).isFalse();
    volume.wakeDisk(1, 2);
    assertThat(volume.isDone(flush)).isTrue();
  }

  @Test
  void s22_prefix_aClientThatRestartsFindsAPrefixOfTheWrites() {
    volume.write(block(0, 3), 1);
    volume.hold(s -> s.is(PutRequest.class) && s.isTo(0, 0));
    volume.write(block(0, 4), 2);
    volume.write(block(1, 3), 3);
    volume.lose();
    volume.mount();
    assertThat(volume.value(volume.read(block(0, 3)))).isEqualTo(1);
    assertThat(volume.value(volume.read(block(1, 3)))).as("behind a gap").isZero();
  }
}
