package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogBefore;
import org.salus.core.log.Relied;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.Succession;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;

/** When an epoch may take the place of holders that are away (§2.1, §4.4 phase 2). */
class SuccessionTest {
  private static final int EPOCH = 7;
  private static final long PERIOD = 1_000_000_000;
  private static final Signer SIGNER = new Signer(new byte[] {1});

  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  private final List<MemberEffect> effects = new ArrayList<>();
  private final KnownLog known = new KnownLog();
  private LogScan.Found found = new LogScan().found();
  private RegionMember member;

  private static boolean may(int holders, int staying, Waiver waiver, Reliance word) {
    return MemberRules.PAPER.mayRetire(new Succession(holders, staying, waiver), word);
  }

  @Test
  void nobodyIsAskedIfAllHoldersAreThere() {
    for (Reliance word : Reliance.values()) {
      assertThat(may(3, 3, Waiver.NONE, word)).as("there is no more: %s", word).isTrue();
      assertThat(may(0, 0, Waiver.NONE, word)).as("nothing was there: %s", word).isTrue();
    }
  }

  @Test
  void otherwiseTheUserOrTheMasterSaysThatNothingIsMissing() {
    assertThat(may(3, 2, Waiver.NONE, Reliance.UNKNOWN)).isFalse();
    assertThat(may(3, 0, Waiver.NONE, Reliance.WHOLE)).isTrue();
    assertThat(may(3, 0, Waiver.TIME_IS_OVER, Reliance.UNKNOWN)).isTrue();
  }

  @Test
  void withoutAUserTwoHoldersAreNeeded() {
    assertThat(may(3, 2, Waiver.NONE, Reliance.NONE)).isTrue();
    assertThat(may(3, 1, Waiver.NONE, Reliance.NONE)).isFalse();
    assertThat(may(3, 2, Waiver.NO_USER, Reliance.UNKNOWN)).isTrue();
    assertThat(may(3, 1, Waiver.NO_USER, Reliance.UNKNOWN)).isFalse();
  }

  @Test
  void nobodyOverrulesAUserWhoMissesSomething() {
    for (Waiver waiver : Waiver.values()) {
      assertThat(may(3, 2, waiver, Reliance.MISSING)).as("%s", waiver).isFalse();
    }
    assertThat(may(3, 2, Waiver.NO_USER, Reliance.GONE)).isFalse();
    assertThat(may(3, 2, Waiver.TIME_IS_OVER, Reliance.GONE)).as("it ends by itself").isTrue();
  }

  /** Brings a member that is alone in its epoch to the end of its replay. */
  private void replay(Succession succession) {
    member =
        new RegionMember(
            spec,
            new Seat(spec.regionId(0), EPOCH, List.of("a"), 0, succession),
            SIGNER,
            new MemberConfig(PERIOD, 4));
    member.continueFrom(known);
    member.start(0);
    effects.addAll(member.onScanned(found, 0));
    effects.addAll(member.onRecovered(true, 0));
    found.elsewhere().stream()
        .map(s -> new OwnReplica(s.segment(), false, s.length(), s.length()))
        .forEach(own -> member.onOwnReplica(own, 0));
    effects.addAll(member.onReplayed(0));
  }

  /** Whether the member has asked for the segment with which its epoch begins. */
  private boolean wantsSegment() {
    return effects.stream().anyMatch(MemberEffect.CreateSegment.class::isInstance);
  }

  private void says(Acknowledged word) {
    Endpoint from = new Endpoint.Session(spec.id(), word.relied().mountEpoch());
    effects.addAll(member.onMessage(from, word, null, 0));
  }

  private Acknowledged word(int epoch, long mount, long since, long seq) {
    return Acknowledged.sign(spec.regionId(0), epoch, new Relied(mount, since, since, seq), SIGNER);
  }

  /** Whether the member has written the manifest with which its epoch begins. */
  private boolean hasManifest() {
    return effects.stream().anyMatch(MemberEffect.Append.class::isInstance);
  }

  @Test
  void theManifestWaitsForTheWord() {
    replay(new Succession(3, 2, Waiver.NONE));
    assertThat(hasManifest()).isFalse();
    says(word(EPOCH - 1, 4, 0, 0));
    assertThat(hasManifest()).as("of another epoch").isFalse();
    Acknowledged forged = new Acknowledged(EPOCH, new Relied(4, 0, 0, 0), new byte[16]);
    says(forged);
    assertThat(hasManifest()).as("nobody has signed it").isFalse();
    assertThat(wantsSegment()).as("an epoch that waits leaves no file").isFalse();
    says(word(EPOCH, 4, 0, 0));
    assertThat(wantsSegment()).isTrue();
    effects.addAll(member.onSegmentCreated(1, true, false, 0));
    assertThat(hasManifest()).isTrue();
  }

  /** The member of the epoch before has heard it, and the session is silent now. */
  @Test
  void whatTheUserMissedInTheEpochBeforeIsNotForgotten() {
    known.keep(new Relied(4, 4, 4, 9));
    replay(new Succession(3, 2, Waiver.TIME_IS_OVER));
    assertThat(wantsSegment()).isFalse();
    says(word(EPOCH, 5, 0, 0));
    assertThat(wantsSegment()).as("another user has the volume").isTrue();
  }

  /** A handle that mounts again relies on what its session before has acknowledged. */
  @Test
  void aHandleThatMountsAgainDoesNotTakeItsWordBack() {
    replay(new Succession(3, 2, Waiver.NO_USER));
    says(word(EPOCH, 4, 4, 9));
    says(word(EPOCH, 5, 4, 9));
    effects.clear();
    effects.addAll(member.onTick(PERIOD));
    assertThat(wantsSegment()).isFalse();
  }

  /** Its session has every member's answer. Without it, an older session might write again. */
  @Test
  void aMountThatTheLogWasKnownToHaveIsMissedToo() {
    known.keep(new Relied(4, 4, 0, 0));
    replay(new Succession(3, 2, Waiver.TIME_IS_OVER));
    for (int period = 1; period <= 20; period++) {
      effects.addAll(member.onTick(period * PERIOD));
    }
    assertThat(wantsSegment()).isFalse();
    assertThat(effects)
        .anySatisfy(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        MemberEffect.Suspect.class,
                        s -> assertThat(s.what()).contains("lacks PUT 0 of mount 0 or mount 4, ")));
  }

  /** A recovery that has never served may have left its replica behind. */
  @Test
  void aHolderThatLacksWhatWasCertifiedCountsAsNone() {
    SegmentEnd elsewhere = new SegmentEnd(3, 700);
    found =
        new LogScan.Found(
            List.of(new SegmentEnd(3, 0)),
            List.of(elsewhere),
            List.of(new SegmentEnd(3, 1)),
            LogBefore.NONE);
    replay(new Succession(3, 2, Waiver.NO_USER));
    assertThat(wantsSegment()).isFalse();
  }

  @Test
  void anEpochThatLacksWhatWasAcknowledgedDoesNotServeAndSaysWhat() {
    replay(new Succession(3, 2, Waiver.NONE));
    says(word(EPOCH, 4, 4, 9));
    assertThat(hasManifest()).isFalse();
    for (int period = 1; period <= 20; period++) {
      effects.addAll(member.onTick(period * PERIOD));
    }
    assertThat(hasManifest()).isFalse();
    assertThat(effects)
        .anySatisfy(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        MemberEffect.Suspect.class,
                        s -> assertThat(s.what()).contains("lacks PUT 9 of mount 4, ")));
  }

  @Test
  void theNewestMountsWordCountsAndAMountedOneBeforeAMountingOne() {
    replay(new Succession(3, 1, Waiver.NONE));
    says(word(EPOCH, 4, 4, 9));
    says(word(EPOCH, 3, 0, 0));
    says(word(EPOCH, 4, 0, 0));
    assertThat(hasManifest()).isFalse();
  }

  /** The session may not reach all of them. */
  @Test
  void membersHandTheWordOn() {
    RegionMember m1 =
        new RegionMember(
            spec,
            new Seat(
                spec.regionId(0),
                EPOCH,
                List.of("a", "b", "c"),
                1,
                new Succession(3, 2, Waiver.NONE)),
            SIGNER,
            new MemberConfig(PERIOD, 4));
    m1.start(0);
    Acknowledged word = word(EPOCH, 4, 0, 0);
    List<Message> sent =
        m1.onMessage(new Endpoint.Session(spec.id(), 4), word, null, 0).stream()
            .map(e -> ((Send) e).message())
            .toList();
    assertThat(sent).containsExactly(word, word);
  }
}
