package org.salus.benchmarks.figures.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of a fail-over, as logs have them. */
class OpeningLogTest {
  private static final String SERVER =
      " INFO  [salus-1] regionserver.MemberHost: r0.m0 serves epoch ";

  @TempDir Path dir;

  private static String line(LocalDateTime at, String text) {
    return DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS").format(at) + text + "\n";
  }

  @Test
  void theLongestTimeOfEachStepSinceTheMarkCounts() throws Exception {
    Path master = dir.resolve("master.log");
    Path server = dir.resolve("server.log");
    LocalDateTime now = LocalDateTime.now();
    Files.writeString(server, line(now, SERVER + "1 after 900 ms (scan 900)"));
    OpeningLog log = new OpeningLog(List.of(master, server));
    log.mark();
    String opens = " INFO  [salus-master] master.KeptVolume: region ";
    Files.writeString(
        master,
        line(now.plusSeconds(2), opens + "0 of volume load: epoch 2 on [a, b], for c is gone")
            + line(now.plusSeconds(4), opens + "1 of volume load: epoch 2 on [a, b], for c is gone")
            + line(now.plusSeconds(9), opens + "1 of volume load: epoch 3 on [a, b], for d joins")
            + line(now.plusSeconds(9), opens + "1 of volume load: c gets ready to join"));
    Files.writeString(
        server,
        line(now, SERVER + "2 after 60 ms (scan 20, agree 10, recover 30)")
            + line(now, SERVER + "2 after 90 ms (scan 10, agree 70, recover 10)")
            + line(now, " INFO  [salus-1] regionserver.MemberHost: something else"),
        StandardOpenOption.APPEND);
    Map<String, Double> steps = log.steps();
    assertThat(steps.keySet()).containsExactly("notice", "scan", "agree", "recover");
    assertThat(steps.get("notice")).as("the last region").isBetween(3.5, 4.1);
    assertThat(steps).containsEntry("scan", 0.02).containsEntry("agree", 0.07);
    assertThat(steps).containsEntry("recover", 0.03);
  }

  @Test
  void nothingIsKnownWithoutALog() throws Exception {
    OpeningLog log = new OpeningLog(List.of(dir.resolve("none.log")));
    log.mark();
    assertThat(log.steps()).isEmpty();
  }
}
