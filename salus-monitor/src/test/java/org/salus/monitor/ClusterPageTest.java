package org.salus.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.salus.client.VolumeInfo;
import org.salus.client.Wait;
import org.salus.monitor.json.InfoJson;
import org.xml.sax.InputSource;

class ClusterPageTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private static VolumeInfo.Member member(String node, VolumeInfo.Status status) {
    return new VolumeInfo.Member(node, "10.0.0.1:9866", status, List.of());
  }

  private static VolumeInfo.Region region(int index, String health, String why, String note) {
    return new VolumeInfo.Region(
        index,
        7,
        "SERVING",
        note,
        health,
        why,
        NOW.minusSeconds(index),
        Map.of("WRONG_ANSWER", 2),
        null,
        List.of(
            member("a:1", new VolumeInfo.Status(true, 4711, 2, 3 << 20, 1, 1536, 0)),
            member("b:1", new VolumeInfo.Status(true, 4711, 2, 3 << 20, 1, 1536, 1)),
            member("c:1", null)),
        List.of());
  }

  private static VolumeInfo volume(
      String name, String health, String why, List<VolumeInfo.Region> regions) {
    return new VolumeInfo(
        name,
        "00000000000000ab",
        new VolumeInfo.Shape(1L << 40, 4096, false, true, 64 << 20),
        false,
        health,
        why,
        new VolumeInfo.Writer("root@host <nbd>", NOW, 3),
        new VolumeInfo.Confirmed(NOW, 5),
        List.of(new VolumeInfo.Loss(NOW, "bob@host2", 7, 40, 42, false)),
        regions,
        List.of(
            new VolumeInfo.Scrub("a:1", 3, true, NOW, NOW, "/salus/x", 5, 1 << 20, 9 << 20, 2, 1),
            new VolumeInfo.Scrub("b:1", 0, false, null, null, "", 0, 0, 0, 0, 0)));
  }

  private static ClusterState state(VolumeInfo... volumes) {
    return ClusterState.of("master:16000", "Master", NOW, List.of(volumes));
  }

  /** Whether it is well-formed, apart from the two tags that HTML does not close. */
  private static String wellFormed(String page) throws Exception {
    String xml =
        page.replaceFirst("<!DOCTYPE html>\n", "").replaceAll("<meta ([^>]*)>", "<meta $1/>");
    xml = xml.replace("<details open>", "<details open=\"\">");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
    return page;
  }

  @Test
  void aVolumeIsShownWithItsHealthRegionsMembersAndScrub() throws Exception {
    String page =
        wellFormed(
            ClusterPage.of(
                state(
                    volume(
                        "disk1",
                        "degraded",
                        "region 0: c:1 does not answer",
                        List.of(region(0, "degraded", "c:1 does not answer", "a note"))))));
    assertThat(page)
        .contains("1 in all: 0 healthy, 1 degraded, 0 unavailable")
        .contains("<td>disk1</td><td><span class=\"state degraded\">degraded</span></td>")
        .contains("<td>region 0: c:1 does not answer</td><td>1 TiB</td><td>4 KiB</td>")
        .contains("<td>replicated, strict</td>")
        .contains("SERVING: a note")
        .contains("7 since 2026-01-02T03:04:05Z")
        .contains("<td>4711</td><td>2 segments, 3 MiB</td><td>1, 1.5 KiB</td>")
        .contains("<td>1, 1.5 KiB, 1 being built</td>")
        .contains("does not answer</td>")
        .contains("2 wrong answer")
        .contains("<td>a:1</td><td>4, under way</td>")
        .contains("went back by 5 changes")
        .contains("<dt>lost</dt><dd>mount7:40-42: 2 acknowledged changes, found at")
        .contains("<details open>");
  }

  @Test
  void waitingAndSlowRequestsAreShownOfTheVolumeAndOfEachMember() throws Exception {
    VolumeInfo.Region region =
        new VolumeInfo.Region(
            0,
            7,
            "SERVING",
            "",
            "healthy",
            "",
            NOW,
            Map.of(),
            null,
            List.of(
                new VolumeInfo.Member(
                    "a:1",
                    "x:1",
                    null,
                    List.of(
                        wait("CHAIN", List.of("b:1", "c:1"), 3, 12_345, 7),
                        wait("WATERMARK", List.of(), 2, 1_000, 1))),
                new VolumeInfo.Member(
                    "b:1",
                    "x:2",
                    null,
                    List.of(
                        wait("CHAIN", List.of("c:1"), 2, 11_000, 2),
                        wait("APPEND", List.of("x:2"), 0, 0, 4))),
                member("c:1", null)),
            List.of(
                new VolumeInfo.Former("d:1", List.of(wait("DISK", List.of("x:<4>"), 0, 0, 5)))));
    VolumeInfo v = volume("disk1", "healthy", "", List.of(region));
    assertThat(wellFormed(ClusterPage.of(state(v))))
        .contains(
            "<td>root@host &lt;nbd&gt;</td><td>waiting: 2 reads, 3 batches, the oldest 12 s; slow:"
                + " 6 reads, at least 7 batches, the last at 2026-01-02T03:04:05Z</td>")
        .contains(
            "does not answer</td><td>batches that wait for b:1 or c:1: 3 now, the oldest for 12"
                + " s, noted 2 s ago; 7 slow, the last in epoch 6 at 2026-01-02T03:04:05Z."
                + " reads that wait for earlier writes: 2 now, the oldest for 1 s,"
                + " noted 2 s ago; 1 slow, ")
        .contains("<td>batches that wait for c:1: 2 now, ")
        .contains(
            ". batches that wait for DataNode x:2: 4 slow, the last in epoch 6 at"
                + " 2026-01-02T03:04:05Z</td>")
        .contains("does not answer</td><td></td>")
        .contains(
            "<td colspan=\"10\">d:1, no member now: reads that wait for DataNode x:&lt;4&gt;,"
                + " or the NameNode or another replica: 5 slow, the last in epoch 6 at 2026-01-02T03:04:05Z</td>");
    assertThat(InfoJson.of(state(v)).replaceAll("\\s+", ""))
        .contains(
            "\"waits\":{\"reads\":2,\"batches\":3,\"oldestMillis\":12345,\"slowReads\":6,"
                + "\"slowBatches\":7,\"lastSlow\":\"2026-01-02T03:04:05Z\"}")
        .contains(
            "\"waits\":[{\"ageMillis\":2500,\"cause\":\"CHAIN\","
                + "\"awaited\":[\"b:1\",\"c:1\"],\"waiting\":3,\"oldestMillis\":12345,\"slow\":7,"
                + "\"lastSlow\":\"2026-01-02T03:04:05Z\",\"epoch\":6},")
        .contains("\"waits\":[]")
        .contains("\"former\":[{\"node\":\"d:1\",\"waits\":[{");
    assertThat(state(v).of("d:1").volumes()).as("shown where the former member was").hasSize(1);
  }

  private static Wait wait(
      String cause, List<String> awaited, int waiting, long oldestMillis, long slow) {
    return new Wait(2_500, cause, awaited, waiting, oldestMillis, slow, NOW, 6);
  }

  @Test
  void whatOthersHaveNamedIsTextAndNoMarkup() throws Exception {
    String evil = "<script>alert('x')</script>\"&\u0001";
    VolumeInfo v = volume(evil, evil, evil, List.of(region(0, evil, evil, evil)));
    String page = wellFormed(ClusterPage.of(state(v)));
    assertThat(page)
        .doesNotContain("<script")
        .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\ufffd")
        .contains("root@host &lt;nbd&gt;")
        .contains("class=\"state unavailable\"");
    assertThat(wellFormed(ClusterPage.of(ClusterState.unknown(evil, "Master", NOW, evil))))
        .doesNotContain("<script");
  }

  @Test
  void aClusterWithoutVolumesSaysSo() throws Exception {
    assertThat(wellFormed(ClusterPage.of(state())))
        .contains("There are no volumes here.")
        .doesNotContain("<table>");
  }

  @Test
  void whyNothingIsKnownStandsOnThePage() throws Exception {
    String page =
        wellFormed(
            ClusterPage.of(
                ClusterState.unknown(
                    "master:16000", "Master", NOW, "ZooKeeper at z:2181 did not answer")));
    assertThat(page)
        .contains("The volumes are not known: ZooKeeper at z:2181 did not answer")
        .doesNotContain("There are no volumes");
  }

  @Test
  void aVolumeWithoutReadableRecordsIsUnavailableWithItsReason() throws Exception {
    VolumeInfo v =
        new VolumeInfo(
            "disk9",
            "",
            null,
            false,
            "unavailable",
            "its record has format 9",
            null,
            null,
            List.of(),
            List.of(),
            List.of());
    assertThat(wellFormed(ClusterPage.of(state(v))))
        .contains("<td>disk9</td><td><span class=\"state unavailable\">unavailable</span></td>")
        .contains("<td>its record has format 9</td>");
  }

  @Test
  void twoHundredVolumesAreAllThereAndTheNewestEventsFirst() throws Exception {
    VolumeInfo[] all =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    volume(
                        "disk" + i,
                        "healthy",
                        "",
                        IntStream.range(0, 8).mapToObj(r -> region(r, "healthy", "", "")).toList()))
            .toArray(VolumeInfo[]::new);
    ClusterState state = state(all);
    String page = wellFormed(ClusterPage.of(state));
    assertThat(page).contains("200 in all: 200 healthy").contains("<td>disk199</td>");
    assertThat(page).doesNotContain("<details open>");
    assertThat(page.length()).isLessThan(3_000_000);
    assertThat(state.events()).hasSize(50);
    assertThat(state.events()).allMatch(e -> e.at().equals(NOW));
    assertThat(page.split("<td>4, under way</td>", -1)).as("each server's scrub once").hasSize(2);
  }

  @Test
  void thePageNeedsNothingOfOtherHosts() {
    String page = ClusterPage.of(state(volume("disk1", "healthy", "", List.of())));
    assertThat(page).doesNotContain("http:", "https:", "src=", "@import", "<link", "<script");
    assertThat(page).contains("prefers-color-scheme:dark", "name=\"viewport\"");
  }

  @Test
  void aRegionServerShowsWhatIsOnIt() throws Exception {
    VolumeInfo.Region elsewhere =
        new VolumeInfo.Region(
            1,
            2,
            "SERVING",
            "",
            "healthy",
            "",
            NOW,
            Map.of(),
            null,
            List.of(member("d:1", null)),
            List.of());
    ClusterState here =
        state(
                volume("disk1", "healthy", "", List.of(region(0, "healthy", "", ""), elsewhere)),
                volume("disk2", "healthy", "", List.of(elsewhere)))
            .of("b:1");
    assertThat(here.volumes()).singleElement().extracting(VolumeInfo::name).isEqualTo("disk1");
    assertThat(here.volumes().get(0).regions())
        .singleElement()
        .extracting(VolumeInfo.Region::index)
        .isEqualTo(0);
    assertThat(here.scrubs()).singleElement().extracting(VolumeInfo.Scrub::node).isEqualTo("b:1");
    assertThat(here.events()).hasSize(1);
  }

  @Test
  void theJsonOfAVolumeIsThatOfTheCommandLine() throws Exception {
    VolumeInfo v = volume("disk1", "healthy", "", List.of(region(0, "healthy", "", "")));
    assertThat(InfoJson.of(state(v)))
        .contains("\"server\" : \"master:16000\"")
        .contains("\"at\" : \"2026-01-02T03:04:05Z\"")
        .contains("\"size\" : 1099511627776")
        .contains("\"watermark\" : 4711");
    assertThat(InfoJson.of(v)).doesNotContain("\"shape\"").contains("\"blockSize\" : 4096");
    assertThat(InfoJson.of(new VolumeInfo.Loss(NOW, "bob@host2", 7, 40, 42, false)))
        .contains("\"id\" : \"mount7:40-42\"");
  }

  @Test
  void bytesAreShownInTheLargestUnit() {
    assertThat(ClusterPage.bytes(0)).isEqualTo("0 B");
    assertThat(ClusterPage.bytes(1023)).isEqualTo("1023 B");
    assertThat(ClusterPage.bytes(1536)).isEqualTo("1.5 KiB");
    assertThat(ClusterPage.bytes(16L << 40)).isEqualTo("16 TiB");
    assertThat(ClusterPage.bytes(Long.MAX_VALUE)).isEqualTo("8192 PiB");
  }
}
