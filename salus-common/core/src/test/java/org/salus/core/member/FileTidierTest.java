package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.MemberEffect.Tidy;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.WrittenManifest;

/** Files are completed and deleted once all members have written what says so. */
class FileTidierTest {
  private static final int EPOCH = 7;
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final Signer SIGNER = new Signer(new byte[0]);
  private static final ManifestBody BODY = new LogState().manifest(MEMBERS, List.of());
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);

  private final RegionContext c = member(0);
  private final FileTidier m0 = new FileTidier(c);

  private static RegionContext member(int place) {
    Seat seat = new Seat(SPEC.regionId(0), EPOCH, MEMBERS, place);
    return new RegionContext(SPEC, seat, SIGNER, new MemberConfig(1, 4), MemberRules.PAPER);
  }

  private static LogRecord manifest(long segment) {
    return new LogRecord(
        LogRecord.Type.MANIFEST, SPEC.regionId(0), EPOCH, new Position(segment, 0), BODY.encode());
  }

  private static ManifestWords words(RegionContext of, long segment) {
    return new ManifestWords(of, manifest(segment), new byte[] {(byte) segment});
  }

  private static Wrote word(int place, long segment) {
    byte[] word = WrittenManifest.word(manifest(segment), MEMBERS.get(place), SIGNER);
    return new Wrote(EPOCH, place, segment, false, word);
  }

  /** The segments whose manifests files were completed by, with the proof of all members. */
  private List<Long> tidied() {
    List<MemberEffect> all = c.out.take();
    assertThat(all)
        .filteredOn(Tidy.class::isInstance)
        .allSatisfy(
            e -> {
              Tidy tidy = (Tidy) e;
              List<byte[]> said = tidy.proof().words();
              assertThat(tidy.primary()).isTrue();
              assertThat(said).hasSize(MEMBERS.size());
              for (int i = 0; i < MEMBERS.size(); i++) {
                LogRecord of = manifest(tidy.segment());
                assertThat(WrittenManifest.isWord(of, MEMBERS.get(i), said.get(i), SIGNER))
                    .isTrue();
              }
            });
    return all.stream().filter(Tidy.class::isInstance).map(e -> ((Tidy) e).segment()).toList();
  }

  private static Stream<Wrote> told(List<MemberEffect> effects) {
    return effects.stream().filter(Send.class::isInstance).map(e -> (Wrote) ((Send) e).message());
  }

  /** An epoch that serves, and whose M0 has written the manifests of segments 6 and 7, too. */
  private void rolledTwice() {
    m0.written(BODY, words(c, 5));
    m0.onWrote(word(1, 5));
    m0.onWrote(word(2, 5));
    assertThat(tidied()).as("it does not serve").isEmpty();
    c.serving = true;
    c.next = new Position(7, 0);
    m0.letGo();
    assertThat(tidied()).containsExactly(5L);
    m0.written(BODY, words(c, 6));
    m0.written(BODY, words(c, 7));
    assertThat(tidied()).isEmpty();
  }

  @Test
  void theSlowestMemberCounts() {
    rolledTwice();
    m0.onWrote(word(1, 6));
    m0.onWrote(word(1, 7));
    assertThat(tidied()).isEmpty();
    m0.onWrote(word(2, 6));
    assertThat(tidied()).containsExactly(6L);
    m0.onWrote(word(2, 6));
    assertThat(tidied()).as("once").isEmpty();
    m0.onWrote(word(2, 7));
    assertThat(tidied()).containsExactly(7L);
  }

  /** It does what the earlier one would, whose words may be lost. */
  @Test
  void theNewestIsEnough() {
    rolledTwice();
    m0.onWrote(word(1, 7));
    m0.onWrote(word(2, 7));
    m0.onWrote(word(1, 6));
    m0.onWrote(word(2, 6));
    assertThat(tidied()).containsExactly(7L);
  }

  @Test
  void whatIsSaidBeforeM0HasWrittenItCountsLater() {
    rolledTwice();
    c.next = new Position(9, 0);
    m0.onWrote(word(1, 8));
    m0.onWrote(word(2, 9));
    m0.onWrote(word(2, 8)); // late
    m0.onPeriod();
    assertThat(c.out.take()).as("nobody is asked who is ahead").isEmpty();
    m0.written(BODY, words(c, 8));
    assertThat(tidied()).isEmpty();
    m0.onWrote(word(1, 9));
    m0.written(BODY, words(c, 9));
    assertThat(tidied()).containsExactly(9L);
  }

  /** Else a wrong member could seem to be ahead for ever. */
  @Test
  void nobodyIsAheadOfWhatM0HasProposedOrWithAWrongWord() {
    rolledTwice();
    m0.onWrote(word(1, 7));
    c.next = new Position(8, 0);
    m0.onWrote(word(2, 9));
    m0.onPeriod();
    assertThat(c.out.take()).hasSize(1);
    m0.onWrote(new Wrote(EPOCH, 2, 8, false, word(2, 7).word()));
    m0.onPeriod();
    assertThat(c.out.take()).isEmpty();
    m0.onWrote(word(1, 8));
    m0.written(BODY, words(c, 8));
    m0.onPeriod();
    assertThat(c.out.take()).hasSize(1);
  }

  /** One may lack the one word, and another the other. */
  @Test
  void wordsThatAreLostAreAskedForTogether() {
    rolledTwice();
    m0.onWrote(word(1, 7));
    m0.onWrote(word(2, 6));
    m0.onPeriod();
    List<MemberEffect> asked = c.out.take();
    assertThat(asked).hasSize(1);
    assertThat(((Send) asked.get(0)).to()).isEqualTo(new Endpoint.Member(c.region, 2));
    m0.onWrote(word(2, 7));
    assertThat(tidied()).containsExactly(7L);
  }

  @Test
  void wordsOfOthersOrOfOtherManifestsDoNotCount() {
    rolledTwice();
    m0.onWrote(word(1, 7));
    m0.onWrote(new Wrote(EPOCH, 2, 7, false, word(1, 7).word()));
    m0.onWrote(new Wrote(EPOCH, 2, 7, false, word(2, 6).word()));
    m0.onWrote(new Wrote(EPOCH, 2, 7, false, new byte[0]));
    assertThat(tidied()).isEmpty();
    Endpoint one = new Endpoint.Member(c.region, 1);
    assertThat(c.isOthers(word(1, 7), one)).isTrue();
    assertThat(c.isOthers(word(2, 7), one)).isFalse();
    assertThat(c.isOthers(word(0, 7), new Endpoint.Member(c.region, 0))).isFalse();
    Wrote before = new Wrote(EPOCH - 1, 1, 7, false, word(1, 7).word());
    assertThat(c.isOthers(before, one)).isFalse();
    Wrote nobody = new Wrote(EPOCH, 3, 7, false, new byte[0]);
    assertThat(c.isOthers(nobody, new Endpoint.Member(c.region, 3))).isFalse();
  }

  /** A word may be lost, or be kept. Who is only behind says something now and then. */
  @Test
  void whoSaysNothingIsAskedAndThenBlamed() {
    rolledTwice();
    m0.onWrote(word(1, 6));
    m0.onWrote(word(1, 7));
    for (int period = 1; period < 120; period++) {
      m0.onPeriod();
      List<MemberEffect> effects = c.out.take();
      assertThat(effects).hasSize(1);
      assertThat(((Send) effects.get(0)).to()).isEqualTo(new Endpoint.Member(c.region, 2));
      assertThat(told(effects)).allMatch(x -> x.segment() == 7 && x.asks());
    }
    m0.onWrote(word(2, 6));
    assertThat(tidied()).containsExactly(6L);
    for (int period = 1; period < 120; period++) {
      m0.onPeriod();
      assertThat(c.out.take()).noneMatch(Stalled.class::isInstance);
    }
    m0.onPeriod();
    assertThat(c.out.take()).anyMatch(e -> e instanceof Stalled s && s.lane() == 2);
    m0.onWrote(word(2, 7));
    c.out.take();
    m0.onPeriod();
    assertThat(c.out.take()).isEmpty();
  }

  @Test
  void othersSayWhatTheyHaveWrittenAndAnswer() {
    RegionContext b = member(1);
    FileTidier other = new FileTidier(b);
    other.written(BODY, words(b, 5));
    other.onWrote(new Wrote(EPOCH, 0, 5, true, word(0, 5).word()));
    assertThat(b.out.take()).as("the first is told by EpochBeginning").isEmpty();
    other.written(BODY, words(b, 6));
    assertThat(told(b.out.take()))
        .singleElement()
        .satisfies(x -> assertThat(x).usingRecursiveComparison().isEqualTo(word(1, 6)));
    b.serving = true;
    other.letGo();
    assertThat(b.out.take())
        .singleElement()
        .matches(e -> e instanceof Tidy t && t.segment() == 6 && !t.primary());
    other.onPeriod();
    assertThat(b.out.take()).isEmpty();
    other.onWrote(new Wrote(EPOCH, 0, 7, true, word(0, 7).word()));
    assertThat(told(b.out.take())).singleElement().matches(x -> x.segment() == 6 && !x.asks());
  }
}
