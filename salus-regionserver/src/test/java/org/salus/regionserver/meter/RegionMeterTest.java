package org.salus.regionserver.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.Durable;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.LiveFiles;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.StatusReply;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;
import org.salus.host.zk.WaitsRecord.Cause;

class RegionMeterTest {
  private static final byte[] NONE = {};
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final RegionId region = new RegionId(77, 3);
  private final Metrics metrics = new Metrics();
  private final VolumeMeter volume = new VolumeMeter(metrics, "disk1");
  private final RegionMeter meter = new RegionMeter(metrics, volume, "disk1", region);
  private final MemberMeter member = meter.begins(place(7));
  private final Waits waits = member.waits();
  private final long start = System.nanoTime();

  private static Waits.Place place(int epoch) {
    return new Waits.Place(epoch, List.of("b:1", "c:1"), "10.0.0.1:9866");
  }

  private String text() {
    return PrometheusText.of(metrics);
  }

  private static StatusReply status() {
    LiveFiles files =
        new LiveFiles(
            List.of(new SegmentEnd(1, 1000), new SegmentEnd(2, 500), new SegmentEnd(3, 20)),
            List.of(new Checkpoint(9, 0, 1, 1, 300, 0, new byte[32])),
            2,
            NONE);
    return new StatusReply(0, 5, 0, true, 90, files, 1, 97, 0, NONE, NONE, false);
  }

  @Test
  void memberIsAskedOnlyWhileSomebodyLooksAndTellsWhatClientsHear() {
    assertThat(member.asks(start + 60 * SECOND)).isFalse();
    assertThat(text()).doesNotContain("salus_region_epoch{");
    assertThat(member.asks(start + 60 * SECOND)).isTrue();
    assertThat(member.asks(start + 70 * SECOND)).isFalse();
    member.hears(status(), System.nanoTime());
    assertThat(text())
        .contains("salus_region_serving{volume=\"disk1\",region=\"3\"} 1\n")
        .contains("salus_region_epoch{volume=\"disk1\",region=\"3\"} 5\n")
        .contains("salus_region_watermark{volume=\"disk1\",region=\"3\"} 90\n")
        .contains("salus_region_uncommitted_changes{volume=\"disk1\",region=\"3\"} 7\n")
        .contains("salus_region_log_segments{volume=\"disk1\",region=\"3\"} 2\n")
        .contains("salus_region_log_bytes{volume=\"disk1\",region=\"3\"} 520\n")
        .contains("salus_region_checkpoints{volume=\"disk1\",region=\"3\"} 1\n")
        .contains("salus_region_checkpoint_bytes{volume=\"disk1\",region=\"3\"} 1300\n")
        .contains("salus_region_builds{volume=\"disk1\",region=\"3\"} 2\n")
        .contains("salus_region_full{volume=\"disk1\",region=\"3\"} 0\n");
    member.end();
    member.hears(status(), System.nanoTime());
    assertThat(text()).as("what a stopped member says").doesNotContain("salus_region_epoch{");
    meter.begins(place(8)).hears(status(), System.nanoTime());
    assertThat(text()).contains("salus_region_epoch{");
  }

  private static PutRequest batch(long mountEpoch, long last) {
    SubBatch b =
        new SubBatch(
            mountEpoch,
            1,
            last,
            last,
            last - 1,
            0,
            Durable.NOTHING,
            new SubBatch.Participants(3, List.of(3), List.of(5)),
            SubBatch.PrevLeader.NONE,
            false,
            new byte[32],
            List.of());
    return new PutRequest(5, b.encode(), 0, NONE);
  }

  private static Commit commit(long mountEpoch, long seq) {
    return new Commit(3, 5, 0, -1, mountEpoch, 1, seq, NONE, List.of());
  }

  @Test
  void batchIsMeasuredUntilItsOwnMountHasCommittedIt() {
    member.comes(batch(1, 10), start + SECOND);
    member.comes(batch(1, 11), start + SECOND + 1); // not measured: one at a time
    member.goes(commit(1, 9), start + 2 * SECOND);
    member.comes(commit(2, 10), start + 2 * SECOND);
    assertThat(text()).contains("salus_member_commit_seconds_count{volume=\"disk1\"} 0\n");
    member.goes(commit(1, 11), start + 3 * SECOND);
    member.goes(commit(1, 12), start + 4 * SECOND);
    assertThat(text())
        .contains("salus_member_commit_seconds_count{volume=\"disk1\"} 1\n")
        .contains("salus_member_commit_seconds_sum{volume=\"disk1\"} 2\n");
  }

  @Test
  void lostBatchEndsItsMeasurement() {
    member.comes(batch(1, 10), start + SECOND);
    member.comes(batch(1, 20), start + 100 * SECOND);
    member.comes(commit(1, 20), start + 101 * SECOND);
    member.comes(new PutRequest(5, new byte[] {1, 2, 3}, 0, NONE), start + 102 * SECOND);
    assertThat(text())
        .contains("salus_member_commit_seconds_count{volume=\"disk1\"} 1\n")
        .contains("salus_member_commit_seconds_sum{volume=\"disk1\"} 1\n");
  }

  @Test
  void commitThatComesLateIsNotMeasured() {
    member.comes(batch(1, 10), start + SECOND);
    member.goes(commit(1, 10), start + 100 * SECOND);
    assertThat(text()).contains("salus_member_commit_seconds_count{volume=\"disk1\"} 0\n");
  }

  @Test
  void messagesAndBytesAreCountedByKind() {
    volume.came(batch(1, 10), ByteBuffer.allocate(4096));
    volume.came(batch(1, 11), null);
    volume.came(new GetRequest(1, 5, 1, 0, 0, 0, 1), null);
    volume.came(commit(1, 11), null);
    volume.read(System.nanoTime(), ByteBuffer.allocate(8192));
    volume.read(System.nanoTime(), null);
    volume.appends(List.of(ByteBuffer.allocate(10), ByteBuffer.allocate(20)));
    volume.appended(System.nanoTime(), true);
    assertThat(text())
        .contains("salus_member_requests_total{volume=\"disk1\",kind=\"batch\"} 2\n")
        .contains("salus_member_requests_total{volume=\"disk1\",kind=\"read\"} 1\n")
        .contains("salus_member_requests_total{volume=\"disk1\",kind=\"chain\"} 0\n")
        .contains("salus_member_bytes_total{volume=\"disk1\",kind=\"batch\"} 4096\n")
        .contains("salus_member_bytes_total{volume=\"disk1\",kind=\"read\"} 8192\n")
        .contains("salus_member_failed_reads_total{volume=\"disk1\"} 1\n")
        .contains("salus_member_read_seconds_count{volume=\"disk1\"} 1\n")
        .contains("salus_member_appended_bytes_total{volume=\"disk1\"} 30\n")
        .contains("salus_member_append_seconds_count{volume=\"disk1\",kind=\"synced\"} 1\n")
        .contains("salus_member_append_seconds_count{volume=\"disk1\",kind=\"written\"} 0\n");
  }

  private static Waits.Read read(long id) {
    return new Waits.Read(false, 1, id);
  }

  private static String waiting(String metric, Cause cause, String value) {
    return String.format(
        "salus_%s{volume=\"disk1\",%skind=\"%s\"} %s",
        metric, metric.startsWith("region") ? "region=\"3\"," : "", RegionMeter.kind(cause), value);
  }

  private Waits.Seen seen(Cause cause) {
    return meter.waits().stream().filter(s -> s.cause() == cause).findFirst().orElseThrow();
  }

  @Test
  void requestsWaitForACauseSinceTheLookThatSawThemSoFirstAndAreSlowAfterASecond() {
    assertThat(text()).doesNotContain("salus_region_waiting_requests{");
    long now = System.nanoTime() - 3 * SECOND;
    waits.hears(Map.of(Cause.WATERMARK, List.of(read(1), read(2)), Cause.CHAIN, List.of("a")), now);
    assertThat(text())
        .contains(waiting("region_waiting_requests", Cause.WATERMARK, "2\n"))
        .contains(waiting("region_waiting_requests", Cause.DISK, "0\n"))
        .contains(waiting("region_waiting_requests", Cause.CHAIN, "1\n"))
        .contains(waiting("member_slow_requests_total", Cause.WATERMARK, "0\n"));
    waits.hears(
        Map.of(Cause.WATERMARK, List.of(read(2), read(3)), Cause.CHAIN, List.of("a")),
        now + SECOND);
    waits.hears(
        Map.of(Cause.WATERMARK, List.of(read(2), read(3)), Cause.APPEND, List.of("a")),
        now + SECOND + SECOND / 2);
    assertThat(text())
        .contains(waiting("member_slow_requests_total", Cause.WATERMARK, "1\n"))
        .contains(waiting("member_slow_requests_total", Cause.CHAIN, "1\n"))
        .contains(waiting("member_slow_requests_total", Cause.APPEND, "0\n"));
    assertThat(seen(Cause.CHAIN).isLong()).isFalse();
    assertThat(seen(Cause.APPEND).isLong()).as("the DataNode has it for half a second").isFalse();
    waits.hears(Map.of(Cause.WATERMARK, List.of(read(3))), now + 2 * SECOND);
    assertThat(seen(Cause.WATERMARK).oldest(now + 2 * SECOND)).as("of read 3").isEqualTo(SECOND);
    assertThat(seen(Cause.WATERMARK).slow()).isEqualTo(2);
    assertThat(text())
        .contains(waiting("member_slow_requests_total", Cause.WATERMARK, "2\n"))
        .contains(waiting("region_oldest_request_seconds", Cause.WATERMARK, "2."));
    waits.hears(Map.of(), now + 3 * SECOND);
    assertThat(text()).contains(waiting("region_oldest_request_seconds", Cause.WATERMARK, "0\n"));
  }

  @Test
  void whatWasSlowStaysWithItsEpochWhenAnotherMemberBegins() {
    long now = System.nanoTime() - 9 * SECOND;
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), now);
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), now + SECOND);
    member.end();
    waits.hears(Map.of(Cause.CHAIN, List.of("a", "b")), now + SECOND);
    assertThat(seen(Cause.CHAIN).waiting()).as("of a member that has ended").isZero();
    assertThat(seen(Cause.CHAIN).slow()).isEqualTo(1);
    assertThat(seen(Cause.CHAIN).isTold(System.nanoTime())).isTrue();
    assertThat(text()).doesNotContain("salus_region_waiting_requests{");
    Waits next = meter.begins(new Waits.Place(8, List.of("d:1"), "10.0.0.2:9866")).waits();
    next.hears(Map.of(Cause.CHAIN, List.of("c")), now + 2 * SECOND);
    assertThat(seen(Cause.CHAIN))
        .as("nothing was slow in the new epoch")
        .returns(1, Waits.Seen::waiting)
        .returns(1L, Waits.Seen::slow)
        .returns(place(7), Waits.Seen::where)
        .returns(List.of("b:1", "c:1"), Waits.Seen::awaited);
    next.hears(Map.of(Cause.CHAIN, List.of("c")), now + 3 * SECOND);
    assertThat(seen(Cause.CHAIN))
        .returns(2L, Waits.Seen::slow)
        .returns(List.of("d:1"), Waits.Seen::awaited);
  }

  @Test
  void peopleHearOfWhatWaitsLongAndOfWhatLatelyDid() {
    long now = System.nanoTime();
    waits.hears(Map.of(Cause.DISK, List.of(read(1))), now);
    assertThat(seen(Cause.DISK).isTold(now)).isFalse();
    waits.hears(Map.of(Cause.DISK, List.of(read(1))), now + SECOND);
    assertThat(seen(Cause.DISK).isLong()).isTrue();
    assertThat(seen(Cause.DISK).awaited()).containsExactly("10.0.0.1:9866");
    waits.hears(Map.of(), now + 2 * SECOND);
    assertThat(seen(Cause.DISK).isLong()).isFalse();
    assertThat(seen(Cause.DISK).isTold(now + 2 * SECOND)).isTrue();
    assertThat(seen(Cause.DISK).isTold(now + SECOND + Waits.LATELY_NANOS - 1)).isTrue();
    assertThat(seen(Cause.DISK).isTold(now + SECOND + Waits.LATELY_NANOS)).isFalse();
    assertThat(seen(Cause.CHAIN).isTold(now)).isFalse();
  }

  @Test
  void whatHasWaitedLongIsToldForTenMinutesAfterItsEnd() {
    long now = System.nanoTime();
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), now - 2 * Waits.LATELY_NANOS);
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), now - 2 * Waits.LATELY_NANOS + SECOND);
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), now);
    waits.hears(Map.of(), now + SECOND);
    assertThat(seen(Cause.CHAIN).isTold(now + Waits.LATELY_NANOS - 1)).isTrue();
    assertThat(seen(Cause.CHAIN).isTold(now + Waits.LATELY_NANOS)).isFalse();
  }

  /** The epoch is replaced because of the wait, and the page is to say so. */
  @Test
  void whatHasWaitedLongIsToldForTenMinutesAfterItsEpoch() {
    long began = System.nanoTime() - 2 * Waits.LATELY_NANOS;
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), began);
    waits.hears(Map.of(Cause.CHAIN, List.of("a")), began + SECOND);
    member.end();
    meter.begins(place(8));
    assertThat(seen(Cause.CHAIN))
        .returns(0, Waits.Seen::waiting)
        .returns(1L, Waits.Seen::slow)
        .returns(place(7), Waits.Seen::where)
        .matches(s -> s.isTold(System.nanoTime()));
  }

  @Test
  void whatIsClosedIsNotShown() {
    meter.close();
    volume.close();
    assertThat(metrics.look()).isEmpty();
  }
}
