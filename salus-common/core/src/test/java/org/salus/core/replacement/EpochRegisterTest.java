package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.replacement.EpochRegister.Answer;
import org.salus.core.replacement.EpochRegister.OpenFile;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.wire.MalformedException;

/** What the NameNode takes of members' words about their epochs (§4.2.2, §4.2.3). */
class EpochRegisterTest {
  private static final RegionId REGION = new RegionId(7, 3);

  private final Signer signer = new Signer(new byte[] {1});
  private final EpochLink first =
      EpochLink.first(REGION, 1, members("a", "b", "c"), members("a", "b", "c"), signer);

  private final EpochRegister served = new EpochRegister(first, first, before(1));

  /** What the manifest of an epoch says of the log before. */
  private static LogBefore before(int epoch) {
    return new LogBefore(epoch, 9, List.of(new SegmentEnd(7, 500), new SegmentEnd(8, 1000)));
  }

  /** What the NameNode knows of open files. */
  private Map<Long, OpenFile> open = Map.of();

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  private Answer opens(EpochRegister known, EpochLink link) {
    return take(known, EpochRegister.opens(link));
  }

  private Answer take(EpochRegister known, byte[] word) {
    return known.take(word, REGION, open, EpochRules.PAPER, signer);
  }

  private Answer serves(EpochRegister known, EpochLink of, LogRecord.Type type, String... by) {
    return serves(known, of, type, List.of(by), of.nodes());
  }

  private Answer serves(
      EpochRegister known,
      EpochLink of,
      LogRecord.Type type,
      List<String> by,
      List<String> begunBy) {
    byte[] content =
        new LogState()
            .manifest(of.nodes(), List.of(new SegmentEnd(7, 500), new SegmentEnd(8, 1000)))
            .encode();
    LogRecord r = new LogRecord(type, of.region(), of.epoch(), new Position(9, 0), content);
    List<byte[]> signatures = new ArrayList<>();
    for (String node : by) {
      signatures.add(signer.sign(node, r.headerBuffer()));
    }
    List<byte[]> begun = begunBy.stream().map(n -> WrittenManifest.word(r, n, signer)).toList();
    return take(known, EpochRegister.serves(new WrittenManifest(r.permission(signatures), begun)));
  }

  private Answer serves(EpochRegister known, EpochLink of) {
    return serves(known, of, LogRecord.Type.MANIFEST, of.nodes().toArray(String[]::new));
  }

  @Test
  void anEpochOpensAndThenServes() {
    Answer opened = opens(EpochRegister.NONE, first);
    assertThat(opened)
        .isEqualTo(new Answer(new EpochRegister(null, first, LogBefore.NONE), null, false));
    assertThat(opens(opened.register(), first)).as("each member says it").isEqualTo(opened);
    Answer serving = serves(opened.register(), first);
    assertThat(serving).isEqualTo(new Answer(served, null, false));
    assertThat(serves(served, first)).as("each member says it").isEqualTo(serving);
  }

  @Test
  void anEpochServesOnlyOnceEveryMemberHasItsManifest() {
    EpochRegister opened = new EpochRegister(null, first, LogBefore.NONE);
    for (List<String> begun :
        List.of(
            List.<String>of(),
            List.of("a"),
            List.of("a", "b"),
            List.of("a", "b", "b"),
            List.of("a", "b", "c", "c"))) {
      Answer answer = serves(opened, first, LogRecord.Type.MANIFEST, first.nodes(), begun);
      assertThat(answer.register()).isEqualTo(opened);
      assertThat(answer.refusal()).contains("not every member of epoch 1");
    }
  }

  @Test
  void onlyTheMasterSaysWhoTheMembersAre() {
    EpochLink next = first.next(2, members("a"), signer);
    for (EpochLink forged :
        List.of(
            with(next, 3, next.members(), next.holders(), next.served(), next.before()),
            with(next, 2, members("b"), next.holders(), next.served(), next.before()),
            with(next, 2, next.members(), members("a"), next.served(), next.before()),
            with(next, 2, next.members(), next.holders(), 0, next.before()),
            with(next, 2, next.members(), next.holders(), next.served(), ""))) {
      assertThat(opens(served, forged).refusal()).contains("no master has signed");
      assertThat(opens(served, forged).isForged()).isTrue();
    }
    assertThat(opens(served, first.next(2, members("a"), new Signer(new byte[] {2}))).refusal())
        .contains("no master has signed");
    assertThat(opens(served, next).refusal()).isNull();
  }

  private static EpochLink with(
      EpochLink l, int epoch, List<Member> members, List<Member> holders, int of, String before) {
    return new EpochLink(
        l.region(), epoch, members, holders, of, before, l.waiver(), l.signature());
  }

  @Test
  void anOldEpochDoesNotComeBack() {
    EpochRegister second = opens(served, first.next(2, members("a", "d"), signer)).register();
    assertThat(opens(second, first).refusal()).contains("has served");
    assertThat(opens(second, first).isForged()).as("it was just late").isFalse();
    assertThat(opens(second, first.next(2, members("b", "d"), signer)).refusal())
        .as("another epoch of the same number")
        .contains("is over");
  }

  /** Certificates of its first run would count in the second. */
  @Test
  void anEpochThatHasServedDoesNotOpenAgain() {
    assertThat(opens(served, first).refusal()).contains("does not open again");
  }

  @Test
  void ofTwoEpochsThatBuildOnTheSameOneASingleOneServes() {
    EpochLink one = first.next(2, members("a", "d"), signer);
    EpochLink other = first.next(3, members("b", "e"), signer);
    EpochRegister oneServes = serves(opens(served, one).register(), one).register();
    assertThat(opens(oneServes, other).refusal()).contains("does not build on epoch 2");
    EpochRegister otherOpens = opens(opens(served, one).register(), other).register();
    assertThat(serves(otherOpens, one).refusal()).contains("does not prove");
    assertThat(serves(otherOpens, other).refusal()).isNull();
  }

  @Test
  void theHoldersOfAnEpochAreTheMembersOfTheOneThatServedLast() {
    EpochLink lone = EpochLink.first(REGION, 1, members("d"), members("d"), signer);
    EpochLink other = lone.next(2, members("d", "c"), signer);
    assertThat(opens(served, other).refusal()).contains("does not build on");
    assertThat(opens(served, first.next(2, members("d", "c"), signer)).refusal()).isNull();
  }

  @Test
  void anEpochWithoutAHolderRebuilds() {
    assertThat(first.rebuilds()).as("nothing was there before").isFalse();
    assertThat(first.next(2, members("d", "c"), signer).rebuilds()).isFalse();
    EpochLink next = first.next(2, members("d", "e"), signer);
    assertThat(next.rebuilds()).isTrue();
    assertThat(next.holderNodes()).containsExactly("a", "b", "c");
    assertThat(opens(served, next).refusal()).isNull();
  }

  @Test
  void anEpochServesOnlyWhenAllItsMembersHaveSignedAManifest() {
    EpochRegister opened = opens(EpochRegister.NONE, first).register();
    LogRecord.Type manifest = LogRecord.Type.MANIFEST;
    assertThat(serves(opened, first, manifest, "a", "b").refusal()).contains("does not prove");
    assertThat(serves(opened, first, manifest, "a", "b", "d").refusal()).contains("does not prove");
    assertThat(serves(opened, first, LogRecord.Type.OPEN, "a", "b", "c").refusal())
        .contains("does not prove");
    assertThat(serves(EpochRegister.NONE, first).refusal()).contains("does not prove");
  }

  /** When it serves, HDFS drops the replicas that do not count. */
  @Test
  void anEpochServesOnlyWhenTheReplicasOfAllItsMembersCount() {
    EpochLink next = first.next(2, members("a", "d"), signer);
    EpochRegister opened = opens(served, next).register();
    open = Map.of(8L, new OpenFile(20, Map.of("a:9866", 21L, "d:9866", 21L)));
    assertThat(serves(opened, next).refusal()).as("not yet counted").contains("under stamp 20");
    open = Map.of(8L, new OpenFile(21, Map.of("a:9866", 21L)));
    assertThat(serves(opened, next).refusal()).as("one is silent").contains("does not serve");
    open = Map.of(8L, new OpenFile(21, Map.of("a:9866", 21L, "d:9866", 22L)));
    assertThat(serves(opened, next).refusal()).as("one has another").contains("does not serve");
    open =
        Map.of(
            8L,
            new OpenFile(21, Map.of("a:9866", 21L, "d:9866", 21L, "b:9866", 20L)),
            9L,
            new OpenFile(30, Map.of()));
    EpochRegister serving = serves(opened, next).register();
    assertThat(serving).as("9 is its own").isEqualTo(new EpochRegister(next, next, before(2)));
    open = Map.of(8L, new OpenFile(21, Map.of()));
    assertThat(serves(serving, next).refusal()).as("said again").isNull();
  }

  @Test
  void aWordIsOfOneRegion() {
    EpochLink elsewhere =
        EpochLink.first(
            new RegionId(7, 4), 1, members("a", "b", "c"), members("a", "b", "c"), signer);
    assertThat(opens(EpochRegister.NONE, elsewhere).refusal()).contains("another region");
    assertThat(take(EpochRegister.NONE, new byte[] {9}).refusal()).contains("no word");
    assertThat(take(EpochRegister.NONE, new byte[] {1, 2}).refusal()).contains("cannot be read");
  }

  @Test
  void itIsKeptAsBytes() throws MalformedException {
    EpochRegister r = opens(served, first.next(2, members("a", "d"), signer)).register();
    assertThat(EpochRegister.decode(r.encode())).isEqualTo(r);
    assertThat(EpochRegister.decode(EpochRegister.NONE.encode())).isEqualTo(EpochRegister.NONE);
  }

  /** An older NameNode knows nothing of the log before, so that nothing is refused for it. */
  @Test
  void whatAnOlderVersionHasKeptIsRead() throws MalformedException {
    byte[] now = EpochRegister.NONE.encode();
    assertThat(EpochRegister.decode(Arrays.copyOf(now, 2))).isEqualTo(EpochRegister.NONE);
    EpochRegister opened =
        new EpochRegister(first, first.next(2, members("a"), signer), LogBefore.NONE);
    byte[] all = opened.encode();
    assertThat(EpochRegister.decode(Arrays.copyOf(all, all.length - (now.length - 2))))
        .isEqualTo(opened);
  }
}
