package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.Await;
import org.salus.host.DaemonThreads;
import picocli.CommandLine;

/** Checks what a user sees after asking a running cluster for something impossible. */
@Tag("cluster")
class BadInputTest {
  @TempDir static Path dir;

  private static Path data;
  private static StandaloneProcess cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    data = dir.resolve("data");
    cluster = StandaloneProcess.start(data, "disk0:64M", "--servers", "3");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.stop();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "volume create disk0:1G   | 1 | choose another name",
        "volume create disk1:0    | 2 | use 4K to 16T",
        "volume create disk1:17T  | 2 | use 4K to 16T",
        "volume create disk1:1G:2K | 2 | 4K",
        "volume create disk1:1G --regions 10001 | 2 | use 1 to 10000",
        "volume create no/slash:1G | 2 | name",
        "volume info nothing      | 1 | salus volume list",
        "volume delete nothing    | 1 | salus volume list",
        "volume delete disk0      | 1 | --force",
        "nbd nothing --listen 127.0.0.1:0 | 1 | salus volume list",
        "nbd disk0 --listen 127.0.0.1:0   | 1 | --force",
        "volume list -D salus.nonsense=1  | 1 | salus.nonsense",
      })
  void whatCannotBeIsOneLineThatSaysWhatToDo(String arguments, int code, String wayOut) {
    List<String> all = new ArrayList<>(List.of(arguments.split(" ")));
    all.addAll(List.of("--data", data.toString()));
    assertThat(run(all)).isEqualTo(code);
    assertOneLine(wayOut);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--zookeeper 127.0.0.1:1",
        "-D salus.zookeeper.quorum=127.0.0.1:1",
        "--zookeeper 127.0.0.1:1 -D salus.zookeeper.quorum=127.0.0.1:2"
      })
  void aZooKeeperThatIsNotThereIsOneLine(String where) {
    List<String> all =
        new ArrayList<>(List.of("volume", "list", "-D", "salus.client.connect.timeout=2s"));
    all.addAll(List.of(where.split(" ")));
    assertThat(run(all)).isEqualTo(Salus.FAILED);
    assertOneLine("127.0.0.1:1");
  }

  @Test
  void aDirectoryWithoutAClusterIsOneLine() {
    assertThat(run(List.of("volume", "list", "--data", dir.resolve("nothing").toString())))
        .isEqualTo(Salus.FAILED);
    assertOneLine("salus standalone");
  }

  @Test
  void jsonIsForPrograms() throws Exception {
    assertThat(run(List.of("volume", "info", "disk0", "--json", "--data", data.toString())))
        .isZero();
    JsonNode info = new ObjectMapper().readTree(out.toString());
    assertThat(info.get("size").asLong()).isEqualTo(64L << 20);
    assertThat(info.get("regions").get(0).get("members")).hasSize(3);
    assertThat(info.get("writer").get("holder").asText()).isNotEmpty();
  }

  @Test
  void garbageAndAClientThatVanishesLeaveTheVolumeAsItIs() throws Exception {
    Shell.run("qemu-io", "-f", "raw", "-c", "write -P 7 0 64K", cluster.uri());
    URI uri = URI.create(cluster.uri());
    for (int i = 0; i < 3; i++) {
      try (Socket s = new Socket(uri.getHost(), uri.getPort())) {
        s.getOutputStream()
            .write(
                "GET / HTTP/1.0\r\n\r\n and a lot of nonsense besides"
                    .getBytes(StandardCharsets.US_ASCII));
      }
    }
    assertThat(
            Shell.tryRun("qemu-io", "-f", "raw", "-c", "write -P 8 64M 4K", cluster.uri()).code())
        .isNotZero();
    Shell.run("qemu-io", "-f", "raw", "-c", "read -P 7 0 64K", cluster.uri());
  }

  @Test
  void theAddressOfASocketCanBeUsedAsItIsPrintedWhateverItsPath() throws Exception {
    List<String> where = List.of("--data", data.toString());
    assertThat(run(concat(List.of("volume", "create", "odd:1M"), where))).isZero();
    Path socket = Files.createDirectory(dir.resolve("a & 50% é+")).resolve("s");
    List<String> nbd = List.of("nbd", "odd", "--socket", socket.toString());
    Thread bridge = DaemonThreads.start("bridge", () -> run(concat(nbd, where)));
    Await.until(
        "the bridge is ready",
        Duration.ofSeconds(30),
        () -> out.toString().contains("ready nbd+unix"));
    String uri = out.toString().lines().filter(l -> l.startsWith("ready ")).findFirst().get();
    Shell.run("qemu-io", "-f", "raw", "-c", "write -P 7 0 4K", uri.substring("ready ".length()));
    bridge.interrupt();
    bridge.join();
  }

  private static List<String> concat(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  @Test
  void aVolumeOfAnotherShapeIsNotServed() throws Exception {
    Path other = dir.resolve("other");
    try (StandaloneProcess first = StandaloneProcess.start(other, "shaped:8M", "--servers", "3")) {
      first.stop();
    }
    List<String> command =
        StandaloneProcess.java(
            "-Xmx1g",
            Salus.class.getName(),
            "standalone",
            "--data",
            other.toString(),
            "--volume",
            "shaped:9M",
            "--nbd",
            "127.0.0.1:0",
            "--servers",
            "3");
    Shell.Result refused = Shell.tryRun(command.toArray(String[]::new));
    assertThat(refused.code()).isEqualTo(Salus.FAILED);
    assertThat(refused.output()).contains("--volume shaped:8M:4K").doesNotContain("\tat ");
  }

  private int run(List<String> arguments) {
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments.toArray(String[]::new));
  }

  private void assertOneLine(String wayOut) {
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("salus: ")
        .contains(wayOut);
    assertThat(out.toString()).isEmpty();
  }
}
