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
import org.salus.core.log.LogScan;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.replacement.Succession;

/** When an epoch may take the place of holders that are away (§2.1, §4.4 phase 2). */
class SuccessionTest {
  private static final int EPOCH = 7;
  private static final long PERIOD = 1_000_000_000;
  private static final Signer SIGNER = new Signer(new byte[] {1});

  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  private final List<MemberEffect> effects = new ArrayList<>();
  private RegionMember member;

  private static boolean may(int holders, int staying, boolean waived, Reliance word) {
    return MemberRules.PAPER.mayRetire(new Succession(holders, staying, waived), word);
  }

  @Test
  void nobodyIsAskedIfAllHoldersAreThere() {
    for (Reliance word : List.of(Reliance.UNKNOWN, Reliance.NONE, Reliance.WHOLE)) {
      assertThat(may(3, 3, false, word)).as("%s", word).isTrue();
      assertThat(may(0, 0, false, word)).as("nothing was there before: %s", word).isTrue();
    }
  }

  @Test
  void otherwiseTheUserOrTheMasterSaysThatNothingIsMissing() {
    assertThat(may(3, 2, false, Reliance.UNKNOWN)).isFalse();
    assertThat(may(3, 0, false, Reliance.WHOLE)).isTrue();
    assertThat(may(3, 0, true, Reliance.UNKNOWN)).isTrue();
  }

  @Test
  void aMountThatKnowsNothingNeedsTwoHolders() {
    assertThat(may(3, 2, false, Reliance.NONE)).isTrue();
    assertThat(may(3, 1, false, Reliance.NONE)).isFalse();
  }

  @Test
  void nobodyOverrulesAUserWhoMissesSomething() {
    assertThat(may(3, 3, false, Reliance.MISSING)).isFalse();
    assertThat(may(3, 2, true, Reliance.MISSING)).isFalse();
  }

  /** Brings a member that is alone in its epoch to the end of its replay. */
  private void replay(Succession succession) {
    member =
        new RegionMember(
            spec,
            new Seat(spec.regionId(0), EPOCH, List.of("a"), 0, succession),
            SIGNER,
            new MemberConfig(PERIOD, 4));
    member.start(0);
    effects.addAll(member.onScanned(new LogScan().found(), 0));
    effects.addAll(member.onRecovered(true, 0));
    effects.addAll(member.onSegmentCreated(1, true, false, 0));
    effects.addAll(member.onReplayed(0));
  }

  private void says(Acknowledged word) {
    Endpoint from = new Endpoint.Session(spec.id(), word.mountEpoch());
    effects.addAll(member.onMessage(from, word, null, 0));
  }

  private Acknowledged word(int epoch, long mount, boolean mounted, long seq) {
    return Acknowledged.sign(spec.regionId(0), epoch, mount, mounted, seq, SIGNER);
  }

  /** Whether the member has written the manifest with which its epoch begins. */
  private boolean hasManifest() {
    return effects.stream().anyMatch(MemberEffect.Append.class::isInstance);
  }

  @Test
  void theManifestWaitsForTheWord() {
    replay(new Succession(3, 2, false));
    assertThat(hasManifest()).isFalse();
    says(word(EPOCH - 1, 4, false, 0));
    assertThat(hasManifest()).as("of another epoch").isFalse();
    Acknowledged forged = new Acknowledged(EPOCH, 4, false, 0, new byte[16]);
    says(forged);
    assertThat(hasManifest()).as("nobody has signed it").isFalse();
    says(word(EPOCH, 4, false, 0));
    assertThat(hasManifest()).isTrue();
  }

  @Test
  void anEpochThatLacksWhatWasAcknowledgedDoesNotServeAndSaysWhat() {
    replay(new Succession(3, 2, false));
    says(word(EPOCH, 4, true, 9));
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
                        s -> assertThat(s.what()).contains("PUT 9 of mount 4 was acknowledged")));
  }

  @Test
  void theNewestMountsWordCountsAndAMountedOneBeforeAMountingOne() {
    replay(new Succession(3, 1, false));
    says(word(EPOCH, 4, true, 9));
    says(word(EPOCH, 3, false, 0));
    says(word(EPOCH, 4, false, 0));
    assertThat(hasManifest()).isFalse();
  }

  /** The session may not reach all of them. */
  @Test
  void membersHandTheWordOn() {
    RegionMember m1 =
        new RegionMember(
            spec,
            new Seat(
                spec.regionId(0), EPOCH, List.of("a", "b", "c"), 1, new Succession(3, 2, false)),
            SIGNER,
            new MemberConfig(PERIOD, 4));
    m1.start(0);
    Acknowledged word = word(EPOCH, 4, false, 0);
    List<Message> sent =
        m1.onMessage(new Endpoint.Session(spec.id(), 4), word, null, 0).stream()
            .map(e -> ((Send) e).message())
            .toList();
    assertThat(sent).containsExactly(word, word);
  }
}
