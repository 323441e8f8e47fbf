package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.WaitingRequests;
import org.salus.core.log.Position;
import org.salus.host.zk.WaitsRecord.Cause;

class MemberWaitsTest {
  private static final Position FIRST = new Position(1, 100);
  private static final Position SECOND = new Position(1, 200);
  private static final Position THIRD = new Position(2, 50);

  private final MemberWaits waits = new MemberWaits();

  private static MemberEffect.Append append(long segment, long offset) {
    return new MemberEffect.Append(
        new Position(segment, offset), List.of(ByteBuffer.allocate(1)), false);
  }

  private Map<Cause, Collection<?>> look() {
    WaitingRequests waiting =
        new WaitingRequests(List.of(), List.of(), List.of(), List.of(FIRST, SECOND, THIRD));
    return waits.byCause(waiting, Set.of(), r -> false);
  }

  private void assertAsked(List<Position> asked, List<Position> queued) {
    assertThat(look().get(Cause.APPEND)).as("asked").isEqualTo(asked);
    assertThat(look().get(Cause.OPEN)).as("queued").isEqualTo(queued);
  }

  @Test
  void aSubBatchWaitsForItsDataNodeOnceThatIsAskedForItsEnd() {
    assertAsked(List.of(FIRST, SECOND, THIRD), List.of());
    waits.queued(append(1, 190)); // the certificate of the second
    waits.queued(append(2, 0));
    assertThat(waits.anyQueued()).isTrue();
    assertAsked(List.of(FIRST), List.of(SECOND, THIRD));
    waits.asked();
    assertAsked(List.of(FIRST, SECOND), List.of(THIRD));
    waits.asked();
    assertAsked(List.of(FIRST, SECOND, THIRD), List.of());
    assertThat(waits.anyQueued()).isFalse();
  }
}
