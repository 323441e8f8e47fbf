package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message;
import org.salus.core.message.OpeningPhase;

class OpeningBlameTest {
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final int ALL = 7;
  private static final int LONG = 200;

  /**
   * "period: place" of the first complaint of the member at a place, or empty. Each other member
   * tells its phase in every period, or nothing.
   */
  private static String complaint(
      int place, OpeningPhase own, boolean signed, OpeningPhase... others) {
    return complaint(ALL, place, own, signed, others);
  }

  private static String complaint(
      int heard, int place, OpeningPhase own, boolean signed, OpeningPhase... others) {
    VolumeSpec spec = new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
    RegionContext c =
        new RegionContext(
            spec,
            new Seat(spec.regionId(0), 7, MEMBERS, place),
            new Signer(new byte[0]),
            new MemberConfig(1, 4),
            MemberRules.PAPER);
    OpeningBlame blame = new OpeningBlame(c);
    for (int period = 1; period <= LONG; period++) {
      for (int i = 0, other = 0; i < MEMBERS.size(); i++) {
        if (i != place && others[other++] != null) {
          blame.onTold(new Message.Opening(7, i, others[other - 1], heard));
        }
      }
      blame.onPeriod(own, signed);
      List<Integer> blamed = new ArrayList<>();
      for (MemberEffect e : c.out.take()) {
        blamed.add(((Stalled) e).lane());
      }
      if (!blamed.isEmpty()) {
        return period + ": " + blamed;
      }
    }
    return "";
  }

  @Test
  void whoSaysNothingIsBlamed() {
    assertThat(complaint(0, OpeningPhase.SCANNING, false, OpeningPhase.SCANNING, null))
        .isEqualTo("16: [2]");
    assertThat(complaint(2, OpeningPhase.AGREEING, false, null, OpeningPhase.SCANNING))
        .isEqualTo("16: [0]");
  }

  @Test
  void whoIsNotHeardBlamesNobody() {
    OpeningPhase agreeing = OpeningPhase.AGREEING;
    assertThat(complaint(6, 0, agreeing, true, agreeing, agreeing))
        .as("M0 forwards, and nothing comes")
        .isEmpty();
    assertThat(complaint(5, 1, agreeing, false, agreeing, agreeing))
        .as("M0 has not heard what M1 has")
        .isEmpty();
    assertThat(complaint(5, 0, agreeing, true, agreeing, agreeing))
        .as("M1 is not heard by the last")
        .isEqualTo("17: [1]");
  }

  @Test
  void whoIsAtItIsNot() {
    assertThat(
            complaint(
                0, OpeningPhase.AGREEING, false, OpeningPhase.AGREEING, OpeningPhase.SCANNING))
        .isEmpty();
    assertThat(
            complaint(
                1, OpeningPhase.AGREEING, true, OpeningPhase.RECOVERING, OpeningPhase.AGREEING))
        .isEmpty();
    assertThat(
            complaint(
                1, OpeningPhase.REPLAYED, true, OpeningPhase.REPLAYED, OpeningPhase.REPLAYING))
        .isEmpty();
  }

  @Test
  void whereTheAgreementStopsWhoIsNextToItComplainsFirst() {
    OpeningPhase agreeing = OpeningPhase.AGREEING;
    assertThat(complaint(1, agreeing, false, agreeing, agreeing))
        .as("M0 proposes nothing")
        .isEqualTo("9: [0]");
    assertThat(complaint(2, agreeing, false, agreeing, agreeing))
        .as("M1 forwards nothing")
        .isEqualTo("17: [1]");
    assertThat(complaint(1, agreeing, true, agreeing, agreeing))
        .as("M2 certifies nothing")
        .isEqualTo("9: [2]");
    assertThat(complaint(0, agreeing, true, agreeing, agreeing))
        .as("M1 forwards nothing")
        .isEqualTo("17: [1]");
    assertThat(complaint(2, agreeing, true, agreeing, agreeing))
        .as("M0 does not go on")
        .isEqualTo("25: [0]");
  }

  @Test
  void whoDoesNotTellTheOthersOrBeginsNothingIsBlamed() {
    assertThat(
            complaint(
                2, OpeningPhase.AGREEING, false, OpeningPhase.REPLAYING, OpeningPhase.REPLAYED))
        .as("what was agreed")
        .isEqualTo("9: [0]");
    assertThat(
            complaint(1, OpeningPhase.REPLAYED, true, OpeningPhase.REPLAYED, OpeningPhase.REPLAYED))
        .as("no manifest")
        .isEqualTo("9: [0]");
    assertThat(
            complaint(0, OpeningPhase.REPLAYED, true, OpeningPhase.REPLAYED, OpeningPhase.REPLAYED))
        .isEmpty();
  }
}
