package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.WrittenManifest;

/** All members have the first manifest before the NameNode hears that their epoch serves. */
class EpochBeginningTest {
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final int EPOCH = 7;
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  private static final byte[] PERMISSION = {1};

  private final Signer signer = new Signer(new byte[0]);
  private final LogRecord manifest = manifest(EPOCH);
  private final RegionContext c =
      new RegionContext(
          SPEC,
          new Seat(SPEC.regionId(0), EPOCH, MEMBERS, 0),
          signer,
          new MemberConfig(1, 4),
          MemberRules.PAPER);
  private final EpochBeginning beginning = new EpochBeginning(c);

  private static LogRecord manifest(int epoch) {
    return new LogRecord(
        LogRecord.Type.MANIFEST, SPEC.regionId(0), epoch, new Position(1, 0), new byte[0]);
  }

  private Wrote word(int place, LogRecord of, boolean asks) {
    return new Wrote(
        of.epoch(), place, 1, asks, WrittenManifest.word(of, MEMBERS.get(place), signer));
  }

  private void hears(int from, Wrote x) {
    if (c.isOthers(x, new Endpoint.Member(c.region, from))) {
      beginning.onWrote(x);
    }
  }

  private List<MemberEffect> effects() {
    return c.out.take();
  }

  private static boolean asksNameNode(List<MemberEffect> effects) {
    return effects.stream().anyMatch(e -> e instanceof MemberEffect.RegisterEpoch);
  }

  @Test
  void theNameNodeIsAskedOnceAllHaveSaidThatTheyHaveTheManifest() {
    hears(1, word(1, manifest, true));
    assertThat(effects()).as("it has nothing to say yet").isEmpty();
    beginning.opened(new ManifestWords(c, manifest, PERMISSION));
    assertThat(effects())
        .hasSize(2)
        .allMatch(e -> e instanceof Send s && s.message() instanceof Wrote b && !b.asks());
    hears(2, word(2, manifest, false));
    List<MemberEffect> asked = effects();
    assertThat(asked).hasSize(1);
    WrittenManifest proof = ((MemberEffect.RegisterEpoch) asked.get(0)).proof();
    assertThat(proof.manifest()).isEqualTo(PERMISSION);
    for (int i = 0; i < MEMBERS.size(); i++) {
      assertThat(WrittenManifest.isWord(manifest, MEMBERS.get(i), proof.words().get(i), signer))
          .isTrue();
    }
    beginning.onPeriod();
    assertThat(effects()).as("it waits for the answer").isEmpty();
    beginning.onRegistered(false);
    beginning.onPeriod();
    assertThat(asksNameNode(effects())).as("it asks again").isTrue();
  }

  @Test
  void nobodySpeaksForAnotherMemberOrOfAnotherManifest() {
    beginning.opened(new ManifestWords(c, manifest, PERMISSION));
    hears(1, word(1, manifest, false));
    effects();
    hears(1, word(2, manifest, false));
    hears(2, word(2, manifest(EPOCH - 1), false));
    hears(2, new Wrote(EPOCH, 2, 1, false, word(2, manifest(EPOCH - 1), false).word()));
    hears(2, new Wrote(EPOCH, 2, 1, false, word(1, manifest, false).word()));
    assertThat(effects()).isEmpty();
    hears(2, word(2, manifest, false));
    assertThat(asksNameNode(effects())).isTrue();
  }

  /** Its own word may have been lost. Who only answers gets no answer. */
  @Test
  void whoAsksIsAnsweredAlsoOnceTheEpochServes() {
    beginning.opened(new ManifestWords(c, manifest, PERMISSION));
    c.serving = true;
    effects();
    hears(1, word(1, manifest, true));
    assertThat(effects())
        .singleElement()
        .satisfies(e -> assertThat(((Wrote) ((Send) e).message()).asks()).isFalse());
    hears(1, word(1, manifest, false));
    beginning.onPeriod();
    assertThat(effects()).isEmpty();
  }

  @Test
  void whoDoesNotBeginIsBlamed() {
    beginning.opened(new ManifestWords(c, manifest, PERMISSION));
    hears(1, word(1, manifest, true));
    effects();
    for (int period = 1; period < 20; period++) {
      beginning.onPeriod();
      assertThat(effects())
          .as("period " + period)
          .hasSize(2)
          .allMatch(e -> ((Wrote) ((Send) e).message()).asks());
    }
    beginning.onPeriod();
    assertThat(effects())
        .filteredOn(e -> e instanceof Stalled)
        .singleElement()
        .satisfies(e -> assertThat(((Stalled) e).lane()).isEqualTo(2));
  }

  @Test
  void aRefusalThatLastsEndsTheEpoch() {
    beginning.opened(new ManifestWords(c, manifest, PERMISSION));
    hears(1, word(1, manifest, true));
    hears(2, word(2, manifest, true));
    for (int i = 1; i < 20; i++) {
      beginning.onRegistered(false);
    }
    assertThat(effects()).noneMatch(e -> e instanceof MemberEffect.Suspect);
    beginning.onRegistered(false);
    assertThat(effects()).anyMatch(e -> e instanceof MemberEffect.Suspect);
  }
}
