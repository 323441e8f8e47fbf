package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.Built;

class HousekeeperTest {
  private static final CheckpointBuilder.Roots NO_ROOTS =
      new CheckpointBuilder.Roots(new long[0], new byte[0]);
  private static final long LENGTH = 1008;
  private static final int CRC = 5;

  private final OpenMember m0 = new OpenMember(0);
  private final Housekeeper housekeeper = housekeeper(m0);

  private static Housekeeper housekeeper(OpenMember m) {
    return new Housekeeper(m.c, m.relay, new SegmentRoller(m.c, m.relay));
  }

  private static void close(OpenMember m, int segments) {
    for (int s = 1; s <= segments; s++) {
      m.c.segments.add(new SegmentEnd(s, m.spec.segmentBytes()));
    }
    m.c.next = new Position(segments + 1, 0);
  }

  /** The message of a member that has built the same checkpoint 1. */
  private Built built(int place, int crc) {
    return new Built(m0.c.epoch, place, 1, LENGTH, crc, m0.c.index.checkpointRoot());
  }

  /** Brings M0 to the point where a flush is agreed on and it builds its own checkpoint. */
  private void flush() {
    close(m0, 3);
    housekeeper.consider();
    List<LogRecord> build = OpenMember.forwarded(m0.effects());
    assertThat(build).extracting(LogRecord::type).containsExactly(Type.BUILD);
    housekeeper.onBuildDurable(OpenMember.certified(build.get(0)));
  }

  @Test
  void flushIsDueBeforeWritesHaveToWaitForIt() {
    close(m0, 1);
    housekeeper.consider();
    assertThat(m0.proposed()).as("one of four").isEmpty();
    close(m0, 3);
    housekeeper.consider();
    assertThat(m0.proposed()).containsExactly(Type.BUILD);
  }

  @Test
  void regionThatIsNotWrittenFlushesWhatItHas() {
    close(m0, 1);
    housekeeper.onTick();
    assertThat(m0.proposed()).isEmpty();
    housekeeper.onTick();
    assertThat(m0.proposed()).containsExactly(Type.BUILD);
  }

  @Test
  void onlyM0Proposes() {
    OpenMember m1 = new OpenMember(1);
    close(m1, 3);
    housekeeper(m1).consider();
    assertThat(m1.effects()).isEmpty();
  }

  @Test
  void buildBeginsWhenItIsAgreedOnAndDurable() {
    flush();
    assertThat(m0.effects())
        .extracting(Object::getClass)
        .isEqualTo(List.of(MemberEffect.CreateCheckpoint.class, MemberEffect.Flush.class));
  }

  /** The bytes for which M0 asks to merge four flushed segments whose checkpoints are so long. */
  private static long roomForMergeOf(long length) {
    OpenMember m = new OpenMember(0);
    for (long s = 1; s <= 4; s++) {
      m.c.log.apply(new BuildBody(s, s, List.of()));
      m.c.log.apply(
          new BuiltBody(new Checkpoint(s, 0, s, s, length, CRC, new byte[32]), List.of()));
    }
    BuildBody merge = m.c.log.checkpoints().compaction(1);
    assertThat(merge.inputs()).containsExactly(1L, 2L, 3L, 4L);
    m.c.log.apply(merge);
    housekeeper(m)
        .onBuildDurable(
            OpenMember.certified(
                new LogRecord(Type.BUILD, m.c.region, m.c.epoch, m.c.next, merge.encode())));
    return m.effects().stream()
        .filter(MemberEffect.CreateCheckpoint.class::isInstance)
        .map(MemberEffect.CreateCheckpoint.class::cast)
        .findFirst()
        .orElseThrow()
        .bytes();
  }

  @Test
  void mergeAsksForTheRoomThatItMayNeedAndNoMore() {
    long least = 1 << 20; // of a block of HDFS
    long block = m0.spec.blockSize();
    long few = 10 * 32;
    assertThat(roomForMergeOf(few)).as("ten blocks each").isEqualTo(4 * (few + 10 * block) + least);
    assertThat(roomForMergeOf(256 * 32))
        .as("each block four times")
        .isEqualTo(CheckpointWriter.mostBytes(m0.spec.regionBlocks(), (int) block) + least)
        .isLessThan(m0.spec.regionBlocks() * block * 102 / 100 + least);
  }

  @Test
  void checkpointIsAgreedOnWhenAllHaveBuiltTheSame() {
    flush();
    housekeeper.onBuilt(1, LENGTH, CRC, NO_ROOTS);
    housekeeper.onBuilt(built(1, CRC));
    assertThat(m0.proposed()).as("two of three").isEmpty();
    housekeeper.onBuilt(built(2, CRC));
    assertThat(m0.proposed()).containsExactly(Type.BUILT);
    assertThat(m0.c.log.checkpoints().live()).hasSize(1);
  }

  @Test
  void whoBuildsAnotherCheckpointIsSuspected() {
    flush();
    m0.effects();
    housekeeper.onBuilt(1, LENGTH, CRC, NO_ROOTS);
    housekeeper.onBuilt(built(1, CRC));
    housekeeper.onBuilt(built(2, CRC + 1));
    List<MemberEffect> effects = m0.effects();
    assertThat(OpenMember.forwarded(effects)).isEmpty();
    assertThat(effects)
        .hasSize(1)
        .allSatisfy(e -> assertThat(((MemberEffect.Suspect) e).place()).isEqualTo(2));
  }

  @Test
  void memberAgreesOnlyToWhatItHasBuiltItself() {
    flush();
    BuiltBody mine =
        new BuiltBody(
            new Checkpoint(1, 0, 1, 1, LENGTH, CRC, m0.c.index.checkpointRoot()), List.of());
    assertThat(housekeeper.isMine(mine)).as("not built yet").isFalse();
    housekeeper.onBuilt(1, LENGTH, CRC, NO_ROOTS);
    assertThat(housekeeper.isMine(mine)).isTrue();
    BuiltBody other =
        new BuiltBody(
            new Checkpoint(1, 0, 1, 1, LENGTH, CRC + 1, m0.c.index.checkpointRoot()), List.of());
    assertThat(housekeeper.isMine(other)).isFalse();
  }
}
