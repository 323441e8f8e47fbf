package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.compaction.Checkpoints;
import org.salus.core.log.LogState.Pending;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

class LogStateTest {
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  private static final byte[] HASH = new byte[32];
  private static final byte[] SIGNATURE = {5, 6};

  private final LogState whole = new LogState();

  /** A batch of one PUT to block 10 + seq. */
  private static SubBatch batch(int view, long seq, long prevNum, long acked) {
    return batch(view, seq, prevNum, acked, 0);
  }

  private static SubBatch batch(int view, long seq, long prevNum, long acked, long durable) {
    return new SubBatch(
        1,
        view,
        seq,
        seq,
        prevNum,
        acked,
        new Durable(durable, root(durable)),
        new SubBatch.Participants(0, List.of(0, 2), List.of(1, 1)),
        SubBatch.PrevLeader.NONE,
        false,
        root(seq),
        List.of(new Put(seq, 10 + seq, 1, HASH)));
  }

  /** A volume root of its own for each number. */
  private static byte[] root(long number) {
    return ByteBuffer.allocate(Hashes.BYTES).putLong(number).array();
  }

  private static Position at(long segment, long offset) {
    return new Position(segment, offset);
  }

  private static byte[] manifest(LogState s) {
    return s.manifest(MEMBERS, List.of()).encode();
  }

  /** Three batches in segment 1, none of them decided. */
  private void threePending() {
    whole.apply(new MountBody(1), SIGNATURE);
    whole.apply(new ResolveBody(1, 0, HASH));
    for (int seq = 1; seq <= 3; seq++) {
      whole.apply(batch(0, seq, seq - 1, 0), at(1, 1000L * seq), 1000L * seq + 100);
    }
  }

  private LogState fromManifest() throws MalformedException {
    LogState part = new LogState();
    part.apply(ManifestBody.decode(manifest(whole)));
    return part;
  }

  @Test
  void aLogThatIsReadFromAManifestOnComesToTheSameAsTheWholeOne() throws MalformedException {
    threePending();
    LogState part = fromManifest();
    assertThat(manifest(part)).isEqualTo(manifest(whole));
    for (LogState s : List.of(whole, part)) {
      s.apply(
          batch(1, 2, 1, 1),
          at(2, 500),
          600); // again in a new view; 1 is acknowledged, 3 is not issued again
      s.apply(batch(1, 4, 3, 3), at(2, 900), 1000);
    }
    assertThat(manifest(part)).isEqualTo(manifest(whole));
    List<Long> segments = part.takeSettled().stream().map(p -> p.at().segment()).toList();
    assertThat(segments)
        .as("where the settled PUTs stand")
        .isEqualTo(whole.takeSettled().stream().map(p -> p.at().segment()).toList())
        .containsOnly(1L);
  }

  @Test
  void aResolutionDecidesWhatOnlyTheManifestTells() throws MalformedException {
    threePending();
    LogState part = fromManifest();
    for (LogState s : List.of(whole, part)) {
      s.apply(new MountBody(2), SIGNATURE);
      assertThat(s.check(new ResolveBody(2, 2, HASH))).isNull();
      s.apply(new ResolveBody(2, 2, HASH));
    }
    assertThat(manifest(part)).isEqualTo(manifest(whole));
    assertThat(part.takeSettled().stream().map(p -> p.batch().last())).containsExactly(1L, 2L);
    assertThat(part.pending()).isEmpty();
  }

  /**
   * Other regions had batches 4 to 7. A power cut has taken batch 10, the first to say that 3 is
   * durable. So segment 1 can be flushed, and then some members have lost its records, others not.
   */
  @Test
  void aResolvedPrefixThatIsNotDurableHidesNothingOlder() throws MalformedException {
    threePending();
    whole.apply(batch(0, 10, 3, 3, 3), at(1, 4000), 4100);
    whole.apply(new MountBody(2), SIGNATURE);
    whole.apply(new ResolveBody(2, 7, root(7)));
    assertThat(whole.isDecided(1)).isTrue();
    assertThat(whole.summary().durable())
        .usingRecursiveComparison()
        .isEqualTo(new Durable(3, root(3)));
    assertThat(fromManifest().summary()).usingRecursiveComparison().isEqualTo(whole.summary());
  }

  /**
   * Members begin to read at different segments, and whoever sums a log up unlike others is blamed.
   */
  @Property(tries = 400)
  void whereAReplayBeginsChangesNothing(@ForAll long seed) throws MalformedException {
    new RandomLog(seed).run(80);
  }

  @Test
  void aResolutionGoesBackBelowTheWatermarkButNotBelowWhatIsDurable() {
    threePending();
    whole.apply(batch(0, 4, 3, 3, 1), at(1, 4000), 4100);
    assertThat(whole.summary().prepared().stream().map(Prepared::last))
        .as("what may be lost elsewhere")
        .containsExactly(2L, 3L, 4L);
    whole.apply(new MountBody(2), SIGNATURE);
    assertThat(whole.check(new ResolveBody(2, 0, HASH)).why()).isEqualTo(Refusal.BUSY);
    assertThat(whole.check(new ResolveBody(2, 2, HASH))).isNull();
    whole.apply(new ResolveBody(2, 2, HASH));
    assertThat(whole.acked()).isEqualTo(2);
    assertThat(whole.summary().prepared().stream().map(Prepared::last)).containsExactly(2L);
  }

  @Test
  void aSegmentIsFlushedOnlyWhenAllOfItIsDurable() {
    threePending();
    List<SegmentEnd> closed = List.of(new SegmentEnd(1, 5000));
    whole.apply(batch(0, 4, 3, 3, 2), at(2, 0), 100);
    assertThat(whole.nextFlush(closed)).isNull();
    whole.apply(batch(0, 5, 4, 4, 3), at(2, 500), 600);
    assertThat(whole.nextFlush(closed)).isNotNull();
  }

  @Test
  void aFlushGoesOnBesideACompactionWhichEndsBetweenFlushes() throws MalformedException {
    List<SegmentEnd> closed =
        LongStream.rangeClosed(1, 6).mapToObj(segment -> new SegmentEnd(segment, 1000)).toList();
    for (long segment = 1; segment <= Checkpoints.FAN_IN; segment++) {
      build(new BuildBody(segment, segment, List.of()), closed);
      whole.apply(new BuiltBody(checkpoint(segment, 0, segment, segment), List.of()));
    }
    BuildBody compaction = new BuildBody(5, 0, List.of(1L, 2L, 3L, 4L));
    BuiltBody compacted = new BuiltBody(checkpoint(5, 1, 1, 4), compaction.inputs());
    BuiltBody flushed = new BuiltBody(checkpoint(6, 0, 5, 5), List.of());
    build(compaction, closed);
    build(new BuildBody(6, 5, List.of()), closed);
    assertThat(manifest(fromManifest())).isEqualTo(manifest(whole));
    assertThat(whole.check(new BuildBody(7, 5, List.of()), closed)).as("a second flush").isFalse();
    assertThat(whole.check(new BuildBody(7, 0, compaction.inputs()), closed))
        .as("the compaction again")
        .isFalse();
    assertThat(whole.check(compacted))
        .as("the compaction ends in the middle of the flush")
        .isFalse();
    assertThat(whole.check(flushed)).isTrue();
    whole.apply(flushed);
    assertThat(whole.check(flushed)).as("the flush ends again").isFalse();
    assertThat(whole.check(compacted)).isTrue();
    whole.apply(compacted);
    assertThat(whole.checkpoints().newestFirst()).containsExactly(6L, 5L);
    assertThat(whole.checkpoints().building()).isEmpty();
  }

  private void build(BuildBody b, List<SegmentEnd> closed) {
    assertThat(whole.check(b, closed)).as("%s", b).isTrue();
    whole.apply(b);
  }

  private static Checkpoint checkpoint(long id, int level, long first, long last) {
    return new Checkpoint(id, level, first, last, 1000, 7, HASH);
  }

  @Test
  void aLogThatLacksWhatAllLanesHadSaysSo() {
    threePending();
    assertThat(whole.check(batch(0, 9, 8, 5)).why()).isEqualTo(Refusal.OUT_OF_ORDER);
    assertThat(whole.check(batch(0, 9, 8, 8))).isEqualTo(new LogState.No(Refusal.LOST, 3));
  }

  @Test
  void aBatchThatComesAgainIsReadWhereItStoodFirst() {
    threePending();
    whole.apply(batch(1, 1, 0, 0), at(2, 0), 100);
    Pending first = whole.pending().get(0);
    assertThat(first.at()).isEqualTo(at(1, 1000));
    assertThat(first.batch().view()).isEqualTo(1);
  }

  @Test
  void theWatermarkIsTheEndOfAWholeBatch() {
    threePending();
    whole.apply(
        new SubBatch(
            1,
            0,
            4,
            8,
            3,
            1,
            Durable.NOTHING,
            new SubBatch.Participants(0, List.of(0, 2), List.of(1, 1)),
            SubBatch.PrevLeader.NONE,
            false,
            HASH,
            List.of(new Put(5, 15, 1, HASH))),
        at(1, 4000),
        4100);
    assertThat(whole.lastBatch(0)).as("what all lanes have").isEqualTo(1);
    assertThat(whole.lastBatch(7)).as("in the middle of 4 to 8").isEqualTo(3);
    assertThat(whole.lastBatch(100)).isEqualTo(8);
  }
}
