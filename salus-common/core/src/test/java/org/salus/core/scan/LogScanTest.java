package org.salus.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.TestEpoch;

class LogScanTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");

  private final Signer signer = new Signer(new byte[0]);
  private final LogScan scan = new LogScan();

  /** A segment with nothing but its manifest. */
  private byte[] segment(long number, int epoch, SegmentEnd... before) {
    TestEpoch certified = new TestEpoch(REGION, epoch, MEMBERS, signer);
    return certified.onDisk(certified.manifest(number, before), new byte[0]);
  }

  private void open(long number, byte[] replica) {
    scan.open(reader(number, replica), replica.length, null);
  }

  private LogReader reader(long number, byte[] replica) {
    return new TestEpoch(REGION, 1, MEMBERS, signer).reader(number, replica);
  }

  @Test
  void openSegmentsEndWhereTheyAreValidAndFinishedOnesWhereTheirFilesDo() {
    byte[] two = segment(2, 3, new SegmentEnd(1, 500));
    scan.finished(new SegmentEnd(1, 500));
    open(2, two);
    open(3, new byte[100]);
    assertThat(scan.found().ends())
        .containsExactly(
            new SegmentEnd(1, 500), new SegmentEnd(2, two.length), new SegmentEnd(3, 0));
    assertThat(scan.found().proven()).isEmpty();
    assertThat(scan.newestEpoch()).isEqualTo(3);
  }

  @Test
  void whatCannotBeReadIsNotTheEndOfTheLog() {
    byte[] two = segment(2, 3);
    LogReader.Source failing =
        new LogReader.Source() {
          @Override
          public boolean read(long position, ByteBuffer dst) {
            return false;
          }

          @Override
          public boolean isUnsure() {
            return true;
          }
        };
    assertThat(scan.open(new LogReader(failing, REGION, 2, signer), two.length, null)).isFalse();
    assertThat(new LogScan().open(reader(2, two), two.length, null)).isTrue();
  }

  /** Its replica is still to be made, but the log was certified as far as it has written it. */
  @Test
  void aServerWhoseReplicaMovesKeepsTheMarkOfWhatItHasWritten() {
    LogScan mover = new LogScan(3, LogBefore.NONE, true, false);
    LogReader.Mark written = new LogReader.Mark(600, MEMBERS, 3);
    mover.open(reader(2, new byte[600]), 600, written);
    mover.missing(3, written, false, Map.of());
    assertThat(mover.found().ends()).as("it reads its new replica itself").startsWith(end(2, 0));
    assertThat(mover.found().proven()).containsExactly(end(2, 600), end(3, 600));
  }

  @Test
  void aServerWhoseReplicaMovesTellsWhatItHasWhereItWas() {
    LogScan mover = new LogScan(3, LogBefore.NONE, true, false);
    byte[] two = segment(2, 3);
    mover.left(2, Map.of("b:old", reader(2, two)));
    mover.open(reader(2, new byte[10]), 10, null);
    assertThat(mover.found().ends()).as("an attempt before left this").containsExactly(end(2, 0));
    assertThat(mover.found().elsewhere()).containsExactly(end(2, two.length));
  }

  @Test
  void aRecoveryWentOnWithoutOnlyWhatIsPartOfTheLog() {
    LogScan joiner = new LogScan(3, LogBefore.NONE, true, false);
    joiner.missing(2, new LogReader.Mark(600, MEMBERS, 4), true, Map.of());
    assertThat(joiner.found().proven()).as("epoch 4 has never served").isEmpty();
    joiner.missing(3, null, true, Map.of());
    assertThat(joiner.found().proven()).containsExactly(end(3, 1));
  }

  @Test
  void aHolderTakesNoPartIfItsLogEndsBeforeTheEpochThatServedLast() {
    LogScan holder = new LogScan(3, LogBefore.NONE, false, true);
    byte[] two = segment(2, 2);
    holder.open(reader(2, two), two.length, null);
    assertThat(holder.mayTakePart(0, LogRules.PAPER)).isFalse();
    assertThat(holder.mayTakePart(3, LogRules.PAPER)).as("a finished segment has it").isTrue();
    assertThat(new LogScan(3, LogBefore.NONE, true, false).mayTakePart(0, LogRules.PAPER)).isTrue();
  }

  private static SegmentEnd end(long segment, long length) {
    return new SegmentEnd(segment, length);
  }

  private byte[] twoRecords(byte[] first) {
    TestEpoch epoch = new TestEpoch(REGION, 1, MEMBERS, signer);
    LogRecord next = epoch.record(LogRecord.Type.OPEN, new Position(2, first.length), new byte[0]);
    byte[] second = epoch.onDisk(next, new byte[0]);
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Who was left out may have more, and may have begun segments in epochs that never served. */
  @Test
  void ofTheLogBeforeTheEpochThatServedLastCountsWhatItsMembersHaveCertified() {
    byte[] two = segment(2, 1);
    byte[] longer = twoRecords(two);
    SegmentEnd[] certified = {end(2, two.length), end(4, 700)};
    LogBefore before = new LogBefore(3, 5, List.of(certified));
    LogScan holder = new LogScan(3, before, false, true);
    holder.open(reader(2, longer), longer.length, new LogReader.Mark(longer.length, MEMBERS, 1));
    assertThat(holder.skips(2)).isFalse();
    assertThat(holder.skips(3)).as("begun by an epoch that never served").isTrue();
    holder.missing(4, null, true, Map.of());
    assertThat(holder.skips(5)).isFalse();
    byte[] five = segment(5, 3, certified);
    holder.open(reader(5, five), five.length, null);
    assertThat(holder.found().ends())
        .containsExactly(end(2, two.length), end(3, 0), end(4, 0), end(5, five.length));
    assertThat(holder.found().proven()).containsExactly(end(4, 1), end(4, 700));
    assertThat(holder.found().before()).isEqualTo(before);

    LogScan joiner = new LogScan(3, before, true, false);
    joiner.missing(2, null, false, Map.of("x", reader(2, longer)));
    assertThat(joiner.found().elsewhere()).containsExactly(end(2, two.length));
    assertThat(joiner.found().proven()).as("it never had it").isEmpty();

    LogScan unaware = new LogScan(3, LogBefore.NONE, false, true);
    unaware.open(reader(2, longer), longer.length, null);
    assertThat(unaware.found().ends())
        .as("otherwise all counts")
        .containsExactly(end(2, longer.length));
  }

  /** It was flushed and discarded, but its file is still there, and an older head names it. */
  @Test
  void aSegmentThatIsNoLogIsNoHole() {
    byte[] three = segment(3, 1, end(2, 900));
    LogBefore before = new LogBefore(3, 4, List.of(end(3, three.length)));
    LogScan rebuild = new LogScan(3, before, true, true);
    assertThat(rebuild.skips(2)).isTrue();
    rebuild.holders(3, Set.of("a"), Map.of("a", reader(3, three)));
    rebuild.missing(3, null, false, Map.of());
    byte[] four = segment(4, 3, end(3, three.length));
    rebuild.holders(4, Set.of("a"), Map.of("a", reader(4, four)));
    rebuild.missing(4, null, false, Map.of());
    assertThat(rebuild.hasWholeHolder()).isTrue();
    assertThat(rebuild.mayTakePart(0, LogRules.PAPER)).isTrue();
    assertThat(rebuild.found().elsewhere())
        .containsExactly(end(3, three.length), end(4, four.length));
  }

  @Test
  void theHeadOfAnEpochThatNeverServedCountsAsNone() {
    LogScan holder = new LogScan(3, LogBefore.NONE, false, true);
    assertThat(holder.epochOf(reader(7, segment(7, 3)).next())).isEqualTo(3);
    assertThat(holder.epochOf(reader(7, segment(7, 4)).next())).isZero();
    assertThat(holder.epochOf(null)).isZero();
  }

  /** Who was away then may have more of the segment before than its manifest says. */
  @Test
  void whatAnEpochHasBegunThatNeverServedIsNoLog() {
    LogScan after = new LogScan(3, LogBefore.NONE, false, true);
    byte[] two = segment(2, 3);
    byte[] begun = segment(3, 4, new SegmentEnd(2, two.length + 1000));
    LogReader.Mark written = new LogReader.Mark(begun.length, MEMBERS, 4);
    after.open(reader(2, two), two.length, null);
    after.open(reader(3, begun), begun.length, written);
    after.missing(4, written, false, Map.of("b", reader(4, segment(4, 5))));
    assertThat(after.found().ends())
        .containsExactly(new SegmentEnd(2, two.length), new SegmentEnd(3, 0), new SegmentEnd(4, 0));
    assertThat(after.found().proven()).isEmpty();
    assertThat(after.found().elsewhere()).isEmpty();
    assertThat(after.newestEpoch()).isEqualTo(3);
  }

  @Test
  void aManifestProvesHowFarTheSegmentsBeforeItHadCome() {
    byte[] two = segment(2, 1);
    open(2, two);
    open(3, segment(3, 1, new SegmentEnd(1, 500), new SegmentEnd(2, two.length + 1000)));
    assertThat(scan.found().proven())
        .as("segment 1 is gone, for it was flushed")
        .containsExactly(new SegmentEnd(2, two.length + 1000));
  }

  @Test
  void whatAServerHasWrittenOrARecoveryWentOnWithoutWasThere() {
    LogReader.Mark mark = new LogReader.Mark(700, MEMBERS, 2);
    scan.missing(1, null, true, Map.of());
    scan.missing(2, mark, false, Map.of());
    open(3, segment(3, 2, new SegmentEnd(2, 800)));
    scan.open(reader(4, new byte[600]), 600, mark);
    assertThat(scan.found().proven())
        .containsExactly(
            new SegmentEnd(1, 1),
            new SegmentEnd(2, 700),
            new SegmentEnd(2, 800),
            new SegmentEnd(4, 700));
  }

  @Test
  void theHeadIsReadThoughTheRestIsKnown() {
    byte[] two = segment(2, 1, new SegmentEnd(1, 500));
    byte[] longer = Arrays.copyOf(two, two.length + 300);
    scan.missing(1, null, false, Map.of());
    scan.open(reader(2, longer), longer.length, new LogReader.Mark(longer.length, MEMBERS, 1));
    assertThat(scan.found().ends()).contains(new SegmentEnd(2, longer.length));
    assertThat(scan.found().proven()).containsExactly(new SegmentEnd(1, 500));
  }

  @Test
  void withoutAHolderOneHoldersNodeMustAnswerForEverySegment() {
    byte[] two = segment(2, 3);
    assertThat(scan.hasWholeHolder()).as("no segment is open").isTrue();
    scan.holders(1, Set.of("x", "y"), Map.of());
    scan.missing(1, null, false, Map.of());
    assertThat(scan.hasWholeHolder()).isTrue();
    scan.holders(2, Set.of("y", "z"), Map.of("y", reader(2, two)));
    scan.open(reader(2, new byte[7]), 7, null);
    assertThat(scan.hasWholeHolder()).isTrue();
    assertThat(scan.found().ends()).contains(new SegmentEnd(2, 0));
    assertThat(scan.found().elsewhere())
        .as("though there is a replica of its own")
        .containsExactly(new SegmentEnd(2, two.length));
    scan.failed("y");
    assertThat(scan.hasWholeHolder()).as("it was not read to its end").isFalse();
  }

  @Test
  void withoutAHolderALogWithAHoleIsNoWholeOne() {
    scan.holders(1, Set.of("x"), Map.of());
    scan.missing(1, null, false, Map.of());
    byte[] two = segment(2, 3, new SegmentEnd(1, 500));
    scan.holders(2, Set.of("x"), Map.of("x", reader(2, two)));
    assertThat(scan.hasWholeHolder()).as("it lacks segment 1, which was there").isFalse();
    assertThat(scan.found().elsewhere()).isEmpty();
  }

  @Test
  void theLongestElsewhereIsToldOfButNotAsOfItsOwn() {
    byte[] two = segment(2, 3);
    scan.missing(2, null, false, Map.of("x", reader(2, new byte[7]), "y", reader(2, two)));
    scan.missing(3, null, false, Map.of("x", reader(3, new byte[7])));
    assertThat(scan.found().ends()).containsExactly(new SegmentEnd(2, 0), new SegmentEnd(3, 0));
    assertThat(scan.found().elsewhere()).containsExactly(new SegmentEnd(2, two.length));
    assertThat(scan.newestEpoch()).isEqualTo(3);
  }

  @Test
  void behindAHoleInANodesLogIsNone() {
    byte[] two = segment(2, 3);
    byte[] three = segment(3, 3, new SegmentEnd(1, 500), new SegmentEnd(2, two.length + 10));
    scan.finished(new SegmentEnd(1, 500));
    scan.missing(2, null, false, Map.of("x", reader(2, two)));
    scan.missing(3, null, false, Map.of("x", reader(3, three)));
    scan.missing(
        4, null, false, Map.of("x", reader(4, segment(4, 3, new SegmentEnd(3, three.length)))));
    assertThat(scan.found().elsewhere()).containsExactly(new SegmentEnd(2, two.length));
  }
}
