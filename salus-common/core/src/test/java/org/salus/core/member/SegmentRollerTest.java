package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;

class SegmentRollerTest {
  private static final long SEGMENT = VolumeSpec.MIN_SEGMENT;

  private final OpenMember m0 = new OpenMember(0);
  private final SegmentRoller roller = new SegmentRoller(m0.c, m0.relay);

  private Entry roll(long next) {
    return OpenMember.certified(
        new LogRecord(
            Type.ROLL, m0.c.region, m0.c.epoch, new Position(1, 0), new RollBody(next).encode()));
  }

  @Test
  void nextSegmentIsAgreedOnOnceWhenAQuarterIsUsed() {
    m0.c.next = new Position(1, SEGMENT / 4 - 1);
    roller.afterAppend();
    assertThat(m0.proposed()).isEmpty();
    m0.c.next = new Position(1, SEGMENT / 4);
    roller.afterAppend();
    roller.afterAppend();
    assertThat(m0.proposed()).containsExactly(Type.ROLL);
  }

  @Test
  void recordThatFitsStaysInItsSegment() {
    m0.c.next = new Position(1, 4096);
    assertThat(roller.makeRoom(10_000)).isNull();
    assertThat(m0.c.next).isEqualTo(new Position(1, 4096));
    assertThat(m0.proposed()).isEmpty();
  }

  @Test
  void fullSegmentRefusesUntilTheNextIsCreated() {
    m0.c.next = new Position(1, SEGMENT - 4096);
    assertThat(roller.makeRoom(10_000)).isEqualTo(Refusal.BUSY);
    roller.onSegmentCreated(2, false, true);
    assertThat(roller.makeRoom(10_000)).isEqualTo(Refusal.NO_SPACE);
    assertThat(roller.isFull()).isTrue();
    assertThat(m0.c.next).isEqualTo(new Position(1, SEGMENT - 4096));
    assertThat(m0.proposed()).isEmpty();
    roller.onSegmentCreated(2, true, false);
    assertThat(roller.isFull()).isFalse();
  }

  @Test
  void nextSegmentBeginsWithAManifestThatNamesTheOneBefore() {
    m0.c.next = new Position(1, SEGMENT - 4096);
    roller.onSegmentCreated(2, true, false);
    assertThat(roller.makeRoom(10_000)).isNull();
    assertThat(m0.c.next.segment()).isEqualTo(2);
    assertThat(m0.c.segments).containsExactly(new SegmentEnd(1, SEGMENT - 4096));
    assertThat(m0.proposed()).containsExactly(Type.MANIFEST);
  }

  @Test
  void controlRecordUsesWhatIsKeptFreeForIt() {
    m0.c.next = new Position(1, SEGMENT - (48 << 10));
    assertThat(roller.makeRoom(1)).isEqualTo(Refusal.BUSY);
    assertThat(roller.makeRoomForControl()).isNull();
  }

  @Test
  void writesWaitWhileTooManySegmentsWaitForTheirFlush() {
    for (int s = 1; s <= OpenMember.MAX_LIVE_SEGMENTS; s++) {
      m0.c.segments.add(new SegmentEnd(s, SEGMENT));
    }
    m0.c.next = new Position(OpenMember.MAX_LIVE_SEGMENTS + 1, SEGMENT - 4096);
    roller.onSegmentCreated(OpenMember.MAX_LIVE_SEGMENTS + 2, true, false);
    assertThat(roller.makeRoom(10_000)).isEqualTo(Refusal.BUSY);
    m0.c.segments.remove(0);
    assertThat(roller.makeRoom(10_000)).isNull();
  }

  @Test
  void segmentIsAskedForAgainUntilItIsCreated() {
    roller.onRollDurable(roll(2));
    roller.retry();
    assertThat(m0.effects()).hasSize(2).allMatch(MemberEffect.CreateSegment.class::isInstance);
    roller.onSegmentCreated(2, true, false);
    roller.retry();
    assertThat(m0.effects()).isEmpty();
  }
}
