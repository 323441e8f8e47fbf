package org.salus.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.LogState;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.tree.Hashes;

class KnownLogTest {
  private static final List<String> MEMBERS = List.of("a:1", "b:1");

  private final KnownLog known = new KnownLog();
  private final List<LogRecord> added = new ArrayList<>();

  private LogRecord record(Type type, long segment, long offset, byte[] content) {
    return new LogRecord(type, new RegionId(7, 0), 1, new Position(segment, offset), content);
  }

  /** A segment of a manifest, which names these segments, and one more record. */
  private SegmentEnd segment(long number, SegmentEnd... named) {
    LogRecord head = record(Type.MANIFEST, number, 0, manifest(named).encode());
    LogRecord next =
        record(Type.ROLL, number, head.length(MEMBERS.size()), new RollBody(number + 1).encode());
    for (LogRecord r : List.of(head, next, head)) {
      known.wrote(r);
    }
    added.addAll(List.of(head, next));
    return new SegmentEnd(number, next.at().offset() + next.length(MEMBERS.size()));
  }

  private static ManifestBody manifest(SegmentEnd... named) {
    return new LogState().manifest(MEMBERS, List.of(named));
  }

  @Test
  void aWholeLogIsReplayedWithoutReading() {
    List<SegmentEnd> log = List.of(segment(1), segment(2));
    assertThat(known.replay(log)).satisfies(r -> assertReplay(r, List.of(), null));
  }

  @Test
  void onlyWhatCameAfterIsRead() {
    SegmentEnd first = segment(1);
    SegmentEnd second = segment(2);
    List<SegmentEnd> log =
        List.of(first, new SegmentEnd(2, second.length() + 500), new SegmentEnd(3, 700));
    assertThat(known.replay(log))
        .satisfies(
            r ->
                assertReplay(
                    r, log.subList(1, 3), new LogReader.Mark(second.length(), MEMBERS, 1)));
  }

  private void assertReplay(KnownLog.Replay r, List<SegmentEnd> rest, LogReader.Mark from) {
    assertThat(r.known())
        .extracting(LogRecord::header)
        .containsExactlyElementsOf(added.stream().map(LogRecord::header).toList());
    assertThat(r.rest()).isEqualTo(rest);
    assertThat(r.from()).isEqualTo(from);
  }

  @Test
  void whoKnowsNothingReadsAll() {
    List<SegmentEnd> log = List.of(new SegmentEnd(4, 100), new SegmentEnd(5, 100));
    assertThat(known.replay(log)).satisfies(r -> assertReplay(r, log, null));
  }

  @Test
  void aDiskThatHasLostWhatItHadIsRead() {
    SegmentEnd first = segment(1);
    SegmentEnd second = segment(2);
    List<SegmentEnd> log = List.of(first, new SegmentEnd(2, second.length() - 1));
    added.clear();
    assertThat(known.replay(log)).satisfies(r -> assertReplay(r, log, null));
  }

  @Test
  void whatIsFlushedIsForgotten() {
    SegmentEnd first = segment(1);
    added.clear();
    SegmentEnd second = segment(2);
    LogState flushed = new LogState();
    flushed.apply(
        new BuiltBody(new Checkpoint(1, 0, 1, 1, 100, 0, new byte[Hashes.BYTES]), List.of()));
    known.tidy(flushed.manifest(MEMBERS, List.of(first, second)));
    assertThat(known.replay(List.of(first, second)))
        .as("the file stays for its blocks")
        .satisfies(r -> assertReplay(r, List.of(), null));
  }

  @Test
  void moreThanThereIsRoomForIsRead() {
    SegmentEnd first = segment(1);
    long end = first.length();
    while (added.stream().mapToLong(r -> r.header().length).sum() < KnownLog.MOST_BYTES) {
      LogRecord large = record(Type.ROLL, 1, end, new byte[1_000_000]);
      known.wrote(large);
      added.add(large);
      end += large.length(MEMBERS.size());
    }
    known.wrote(record(Type.ROLL, 1, end, new byte[8]));
    List<SegmentEnd> log = List.of(new SegmentEnd(1, end + 200));
    LogReader.Mark from = new LogReader.Mark(end, MEMBERS, 1);
    assertThat(known.replay(log)).satisfies(r -> assertReplay(r, log, from));
  }

  @Test
  void whatWasOnlyReadMayBeAnothersReplica() {
    SegmentEnd first = segment(1);
    assertThat(known.written(1)).isEqualTo(new LogReader.Mark(first.length(), MEMBERS, 1));
    KnownLog other = new KnownLog();
    added.forEach(other::read);
    assertThat(other.written(1)).isNull();
    other.wrote(record(Type.ROLL, 1, first.length(), new byte[8]));
    assertThat(other.written(1)).as("a gap before it").isNull();
  }
}
