package org.salus.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.cli.Salus;
import picocli.CommandLine;

/** What a user sees when benchmarks are refused. No benchmark is run. */
class ToolsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench",
        "bench nbd --seconds 0",
        "bench nbd --repeat x",
        "bench nbd --uri http://h/x",
        "bench recovery --quick 3",
        "bench fig8 --seed x"
      })
  void wrongUsageIsOneLineAndCodeTwo(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(Salus.USAGE);
    oneLine("--help");
  }

  @Test
  void aBenchmarkOfWhatIsNotServedIsOneLineAndCodeOne() throws Exception {
    int nobody;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      nobody = free.getLocalPort();
    }
    assertThat(run("bench", "nbd", "--uri", "nbd://127.0.0.1:" + nobody + "/x"))
        .isEqualTo(Salus.FAILED);
    oneLine("is it served?");
  }

  private static List<String> benchmarks() {
    return List.of(
        "nbd", "recovery", "scrub", "fig8", "fig9", "fig13", "gaios", "small", "endurance");
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void aBenchmarkTouchesNoDirectoryThatHasSomething(String what) throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "x");
    assertThat(run("bench", what, "--data", temp.toString())).isEqualTo(Salus.FAILED);
    oneLine("choose another one with --data");
    assertThat(file).exists();
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void aBenchmarkThatCannotWriteItsResultsDoesNotBegin(String what) throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "x");
    assertThat(run("bench", what, "--out", file.toString())).isEqualTo(Salus.FAILED);
    oneLine("choose another one with --out");
  }

  @Test
  void theFaultsAreGivenTheTimeThatTheSlowestPromisedRowTakes() {
    assertThat(run("faults", "--help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " ")).contains("is not live (default: 120)");
  }

  private int run(String... arguments) {
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private void oneLine(String message) {
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("salus: ")
        .contains(message);
    assertThat(out.toString()).isEmpty();
  }
}
