package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.host.zk.AccusationRecord;

class AccusationsTest {
  private static final long VOLUME = 7;
  private static final int REGION = 1;
  private static final long WRITER = 4;

  private final Signer signer = new Signer(new byte[] {1});
  private final Accusations accusations = new Accusations(signer);
  private long now = 1;

  private static RrsRecord rrs(int epoch, State state, String... nodes) {
    List<Member> members = java.util.Arrays.stream(nodes).map(n -> new Member(n, 1, n)).toList();
    EpochLink link =
        EpochLink.first(
            new RegionId(VOLUME, REGION), epoch, members, members, new Signer(new byte[] {1}));
    return new RrsRecord(link, state, "");
  }

  private static RrsRecord serving(int epoch) {
    return rrs(epoch, State.SERVING, "a:1", "b:1", "c:1");
  }

  private AccusationRecord said(
      long volume, int region, int epoch, int lane, long mount, Signer by) {
    Accusation a =
        new Accusation(volume, region, epoch, lane, mount, Cause.WRONG_ANSWER, "sent other blocks");
    return new AccusationRecord(a, a.sign(by));
  }

  private String refusal(AccusationRecord said, RrsRecord rrs, Long writer) {
    return accusations.refusal(said, VOLUME, REGION, rrs, writer, now);
  }

  @Test
  void theWritersWordAgainstAMemberOfTheEpochThatServesCounts() {
    AccusationRecord said = said(VOLUME, REGION, 2, 2, WRITER, signer);
    assertThat(refusal(said, serving(2), WRITER)).isNull();
    assertThat(Accusations.accused(said.accusation(), serving(2))).isEqualTo("c:1");
    assertThat(Accusations.accused(said.accusation(), rrs(2, State.SERVING, "a:1", "b:1")))
        .as("in an epoch of two")
        .isEqualTo("b:1");
  }

  @Test
  void whatIsForgedOrOverOrAboutSomethingElseDoesNotCount() {
    AccusationRecord good = said(VOLUME, REGION, 2, 0, WRITER, signer);
    assertThat(
            refusal(
                said(VOLUME, REGION, 2, 0, WRITER, new Signer(new byte[0])), serving(2), WRITER))
        .contains("signature");
    AccusationRecord altered =
        new AccusationRecord(
            said(VOLUME, REGION, 2, 1, WRITER, signer).accusation(), good.signature());
    assertThat(refusal(altered, serving(2), WRITER)).contains("signature");
    assertThat(refusal(good, serving(3), WRITER)).contains("is over");
    assertThat(refusal(good, rrs(2, State.OPENING, "a:1", "b:1"), WRITER)).contains("is over");
    assertThat(refusal(good, serving(2).broken(Cause.DIFFERED, "a:1", "differs"), WRITER))
        .contains("is over");
    assertThat(refusal(good, serving(2), WRITER + 1)).contains("not the volume's writer");
    assertThat(refusal(good, serving(2), null)).contains("not the volume's writer");
    assertThat(refusal(said(VOLUME + 1, REGION, 2, 0, WRITER, signer), serving(2), WRITER))
        .contains("something else");
    assertThat(refusal(said(VOLUME, REGION + 1, 2, 0, WRITER, signer), serving(2), WRITER))
        .contains("something else");
    assertThat(refusal(said(VOLUME, REGION, 2, 3, WRITER, signer), serving(2), WRITER))
        .contains("something else");
    assertThat(refusal(good, serving(2), WRITER)).as("none of these was used up").isNull();
  }

  @Test
  void aSessionThatAccusesOneAfterTheOtherIsNotBelievedForAWhile() {
    assertThat(refusal(said(VOLUME, REGION, 2, 0, WRITER, signer), serving(2), WRITER)).isNull();
    assertThat(refusal(said(VOLUME, REGION, 3, 1, WRITER, signer), serving(3), WRITER)).isNull();
    AccusationRecord third = said(VOLUME, REGION, 4, 2, WRITER, signer);
    assertThat(refusal(third, serving(4), WRITER)).contains("perhaps it is the session");
    assertThat(refusal(said(VOLUME, REGION, 4, 0, WRITER, signer), serving(4), WRITER))
        .as("the first again, which has come back")
        .isNull();
    now += TimeUnit.MINUTES.toNanos(10);
    assertThat(refusal(third, serving(4), WRITER)).isNull();
  }

  @Test
  void aSessionKnowsOnlyOfWhatItSees() {
    Accusation a = new Accusation(VOLUME, REGION, 2, 0, WRITER, Cause.DIFFERED, "");
    assertThat(refusal(new AccusationRecord(a, a.sign(signer)), serving(2), WRITER))
        .contains("something else");
  }
}
