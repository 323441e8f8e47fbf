package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogScan;
import org.salus.core.message.Message;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.Opening;
import org.salus.core.message.OpeningPhase;

class OpeningDriverTest {
  private static final int EPOCH = 7;

  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);

  private RegionMember member(int place) {
    return new RegionMember(
        spec,
        new Seat(spec.regionId(0), EPOCH, List.of("a", "b", "c"), place),
        new Signer(new byte[0]),
        new MemberConfig(1_000_000_000, 4));
  }

  private Endpoint.Member at(int place) {
    return new Endpoint.Member(spec.regionId(0), place);
  }

  private static <M extends Message> List<M> sent(List<MemberEffect> effects, Class<M> kind) {
    return effects.stream()
        .filter(Send.class::isInstance)
        .map(e -> ((Send) e).message())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  /**
   * A server may learn of the epoch before M0's server does, and then tells M0 its ends too early.
   */
  @Test
  void whatM0CouldNotHearYetItIsToldWhenItCan() {
    RegionMember early = member(1);
    early.start(0);
    assertThat(sent(early.onScanned(new LogScan().found(), 0), LogEnds.class)).hasSize(1);
    RegionMember late = member(0);
    late.start(1);
    List<Opening> told = sent(late.onScanned(new LogScan().found(), 1), Opening.class);
    assertThat(told).as("M0 to both").hasSize(2).allMatch(m -> m.phase() == OpeningPhase.AGREEING);
    assertThat(sent(early.onMessage(at(0), told.get(0), null, 1), LogEnds.class))
        .as("before the period is over")
        .hasSize(1);
  }

  @Test
  void whoHasNotReadItsLogYetHasNothingToTell() {
    RegionMember slow = member(1);
    slow.start(0);
    assertThat(slow.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.AGREEING, 1), null, 1))
        .isEmpty();
  }
}
