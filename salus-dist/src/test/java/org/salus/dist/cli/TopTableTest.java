package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.salus.client.VolumeInfo;

class TopTableTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");
  private static final long SECOND = 1_000_000_000L;

  private final TopTable table = new TopTable();
  private long nanos = 5 * SECOND;

  /** One region for each watermark; a negative one stands for a member that does not answer. */
  private static VolumeInfo volume(String name, String why, long... watermarks) {
    return new VolumeInfo(
        name,
        "id of " + name,
        new VolumeInfo.Shape(1L << 30, 4096, false, true, 64 << 20),
        false,
        why.isEmpty() ? "healthy" : "degraded",
        why,
        new VolumeInfo.Writer("root@" + name, NOW, 3),
        null,
        List.of(),
        LongStream.of(watermarks)
            .mapToObj(
                w ->
                    new VolumeInfo.Region(
                        0,
                        1,
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
                                "b:1",
                                w < 0
                                    ? null
                                    : new VolumeInfo.Status(true, w, 2, 1536, 1, 3 << 20, 0),
                                List.of())),
                        List.of()))
            .toList(),
        List.of());
  }

  private List<String> look(VolumeInfo... volumes) {
    nanos += 2 * SECOND;
    return table.of(List.of(volumes), List.of(), NOW, nanos).lines().toList();
  }

  @Test
  void changesOfAVolumeAreThoseOfItsNewestRegionSinceTheLastLook() {
    assertThat(look(volume("disk1", "", 100, 40)))
        .containsExactly(
            "salus top, 2026-01-02T03:04:05Z: 1 in all: 1 healthy, 0 degraded, 0 unavailable",
            "",
            "VOLUME               STATE       REGIONS  CHANGES/S   BYTES/S       LOG CHECKPOINTS"
                + "  MOUNTED BY, OR WHY NOT HEALTHY",
            "disk1                healthy           2          -         -      3.0K        6.0M"
                + "  root@disk1");
    assertThat(look(volume("disk1", "", 100, 1_100)).get(3))
        .contains("      2        500      2.0M ");
    assertThat(look(volume("disk1", "", 1_100, 1_100)).get(3))
        .contains("      2          0        0B ");
  }

  @Test
  void whatIsNotHealthyComesFirstAndThenTheBusiest() {
    look(volume("a", "", 1), volume("b", "", 1), volume("c", "x", 1), volume("d", "", 1));
    assertThat(
            look(
                volume("a", "", 1),
                volume("b", "", 5),
                volume("c", "region 0: HDFS is in safe mode", 1),
                volume("d", "", 1)))
        .extracting(line -> line.split(" ")[0])
        .endsWith("c", "b", "a", "d");
  }

  @Test
  void whatIsNotKnownIsNoNumber() {
    look(volume("disk1", "no member answers", -1), volume("disk2", "", 7));
    List<String> lines = look(volume("disk1", "no member answers", 900), volume("disk2", "", 3));
    assertThat(lines.get(3)).as("only now").matches("disk1 .* - +- .*no member answers");
    assertThat(lines.get(4)).as("made anew, or gone back").matches("disk2 .* - +- .*");
  }

  @Test
  void aNameThatIsNoVolumesIsTold() {
    assertThat(table.of(List.of(), List.of("typo"), NOW, nanos))
        .startsWith("salus top, 2026-01-02T03:04:05Z: 0 in all")
        .contains("; no volume typo\n");
  }

  @Test
  void aSmallTerminalShowsTheHeadingAndTheFirst() {
    String text = table.of(List.of(volume("a", "x", 1), volume("b", "", 1)), List.of(), NOW, nanos);
    assertThat(TopTable.cut(text, 5)).isEqualTo(text);
    assertThat(TopTable.cut(text, 4).lines())
        .hasSize(4)
        .startsWith(text.lines().limit(3).toArray(String[]::new))
        .endsWith("and 2 more");
  }

  @Test
  void wordsOfOthersDoNotSteerTheTerminal() {
    assertThat(look(volume("a", "bad\033[2Jword", 1)).get(3)).endsWith("bad?[2Jword");
  }
}
