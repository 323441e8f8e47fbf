package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine;

/** Checks {@code salus cluster start}, {@code status} and {@code stop} as a user sees them. */
@Tag("cluster")
class ClusterCommandTest {
  private static final String[] NAMES = {
    "datanode0",
    "datanode1",
    "datanode2",
    "master",
    "namenode",
    "nbd",
    "regionserver0",
    "regionserver1",
    "regionserver2",
    "zookeeper"
  };
  private static final Pattern RUNS = Pattern.compile("(\\w+) +runs, pid (\\d+)");
  private static final Pattern RUNS_NOT = Pattern.compile("(\\w+) +does not run");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path temp;

  private final int port = StandaloneProcess.freePort();
  private StringWriter out;
  private StringWriter err;

  private int cluster(String command, String... more) {
    List<String> all = new ArrayList<>(List.of("cluster", command, "--dir", dir().toString()));
    all.addAll(List.of(more));
    return salus(all.toArray(String[]::new));
  }

  private int salus(String... arguments) {
    out = new StringWriter();
    err = new StringWriter();
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private Path dir() {
    return temp.resolve("cluster");
  }

  private int start() {
    return cluster(
        "start", "--servers", "3", "--volume", "disk1:64M", "--nbd", "127.0.0.1:" + port);
  }

  private String uri() {
    return "nbd://127.0.0.1:" + port + "/disk1";
  }

  private void assertQemu(String command) throws Exception {
    Shell.Result result = Shell.tryRun("qemu-io", "-f", "raw", "-c", command, uri());
    assertThat(result.code()).as(result.output()).isZero();
    assertThat(result.output()).doesNotContain("verification failed");
  }

  /** The pids of running servers by name, from the output of {@code status}. */
  private Map<String, Long> status(int code) {
    assertThat(cluster("status")).as(out.toString()).isEqualTo(code);
    Map<String, Long> pids = new TreeMap<>();
    out.toString()
        .lines()
        .forEach(
            l -> {
              Matcher runs = RUNS.matcher(l);
              if (runs.matches()) {
                pids.put(runs.group(1), Long.valueOf(runs.group(2)));
              } else {
                assertThat(l).matches(RUNS_NOT);
              }
            });
    assertThat(out.toString().lines()).hasSize(NAMES.length);
    return pids;
  }

  /** Every process of this cluster has its directory among its arguments. */
  private List<ProcessHandle> processes() {
    return ProcessHandle.allProcesses()
        .filter(p -> p.pid() != ProcessHandle.current().pid())
        .filter(
            p ->
                p.info().commandLine().orElse("").contains(dir() + "/")
                    || p.info().commandLine().orElse("").endsWith(dir().toString()))
        .toList();
  }

  @AfterEach
  void stop() {
    cluster("stop");
  }

  @Test
  @Timeout(1200)
  void aClusterIsStartedShownMendedAndStopped() throws Exception {
    assertThat(start()).as(err.toString()).isZero();
    assertThat(out.toString().strip()).isEqualTo("ready " + uri());
    assertThat(err.toString())
        .contains(
            "salus: starting ZooKeeper",
            "salus: starting 3 region servers",
            "salus: mounting disk1");
    Map<String, Long> first = status(0);
    assertThat(first).containsOnlyKeys(NAMES);
    for (String name : NAMES) {
      assertThat(Files.readString(dir().resolve("run").resolve(name + ".pid")))
          .startsWith(first.get(name) + " ");
      assertThat(ProcessHandle.of(first.get(name))).get().matches(ProcessHandle::isAlive);
      assertThat(dir().resolve("logs").resolve(name + ".out")).content().contains("ready");
      assertThat(dir().resolve("logs").resolve(name + ".log")).exists();
      assertThat(name.equals("nbd") || Files.size(dir().resolve("logs").resolve(name + ".log")) > 0)
          .as(name)
          .isTrue();
      assertThat(name.equals("nbd") || Files.exists(dir().resolve("conf").resolve(name + ".xml")))
          .as(name)
          .isTrue();
    }
    assertQemu("write -P 7 1M 64k");
    theDaemonsShowTheirPageAndTheirMetrics();
    theDoctorSaysHealthy();
    whatDoesNotRunIsShownAndStartedAgain(first);
    volumesWithoutServersAreListed();
    assertThat(cluster("stop")).as(err.toString()).isZero();
    assertThat(err.toString()).contains("salus: stopping nbd", "salus: stopping zookeeper");
    assertNothingIsLeft(first);
  }

  private void theDaemonsShowTheirPageAndTheirMetrics() throws Exception {
    LocalCluster cluster = new LocalCluster(dir());
    String master = cluster.page().orElseThrow();
    String server = cluster.page(0).orElseThrow();
    assertThat(get(master)).contains("<title>Salus: ", "<td>disk1</td>", "class=\"state healthy\"");
    assertThat(get(master + "?format=json")).contains("\"name\" : \"disk1\"");
    assertThat(salus("volume", "info", "disk1", "--json", "--data", dir().toString())).isZero();
    JsonNode info = new ObjectMapper().readTree(out.toString());
    JsonNode shown = new ObjectMapper().readTree(get(master + "/json")).get("volumes").get(0);
    for (String same : List.of("id", "size", "health", "writer")) {
      assertThat(shown.get(same)).as(same).isEqualTo(info.get(same));
    }
    assertThat(get(server)).contains("Region server ", "<td>disk1</td>");
    assertThat(get(server + "/metrics"))
        .containsPattern("salus_member_requests_total\\{volume=\"disk1\",kind=\"chain\"} [0-9]")
        .containsPattern("salus_member_append_seconds_bucket\\{volume=\"disk1\",kind=")
        .contains("# TYPE salus_member_append_seconds histogram")
        .contains("salus_connections_closed_total{reason=\"damaged\"} 0");
    Await.until(
        "the member has told how it is",
        Duration.ofSeconds(20),
        () -> get(server + "/metrics").contains("salus_region_serving{volume=\"disk1\""));
    assertThat(get(master + "/metrics"))
        .contains("salus_volumes 1\n")
        .contains("salus_servers{state=\"answering\"} 3\n")
        .contains("salus_volume_missing_members{volume=\"disk1\"} 0\n");
    assertDescribed(get(master + "/metrics"));
    assertDescribed(get(server + "/metrics"));
    Await.until(
        "HBase shows the metrics",
        Duration.ofSeconds(60),
        () ->
            get(root(master) + "/prometheus").contains("salus_servers{")
                && get(root(server) + "/prometheus").contains("salus_member_requests_total{"));
    assertThat(get(root(server) + "/jmx")).contains("ember_requests_total");
  }

  private void theDoctorSaysHealthy() {
    assertThat(salus("doctor", "--data", dir().toString())).as(out + "\n" + err).isZero();
    assertThat(out.toString())
        .contains("warning  secret: ", "note     space: ", "healthy: no problems, 2 warnings; ");
    assertThat(salus("doctor", "--strict", "--data", dir().toString())).isEqualTo(Salus.FAILED);
  }

  private static void assertDescribed(String metrics) throws IOException {
    String table =
        Files.readString(
            Path.of(System.getProperty("basedir", "."))
                .toAbsolutePath()
                .resolveSibling("docs")
                .resolve("operating.md"));
    assertThat(metrics.lines().filter(l -> l.startsWith("# TYPE ")).map(l -> l.split(" ")[2]))
        .hasSizeGreaterThan(5)
        .allMatch(name -> table.contains("`" + name + "`"));
  }

  private static String root(String page) {
    return page.substring(0, page.length() - "/salus".length());
  }

  private static String get(String uri) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build()
            .send(
                HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(uri + ": " + answer.body()).isEqualTo(200);
    return answer.body();
  }

  private void whatDoesNotRunIsShownAndStartedAgain(Map<String, Long> first) throws Exception {
    ProcessHandle victim = ProcessHandle.of(first.get("regionserver1")).orElseThrow();
    victim.destroyForcibly();
    victim.onExit().get(10, TimeUnit.SECONDS);
    ProcessHandle ending = ProcessHandle.of(first.get("namenode")).orElseThrow();
    assertThat(status(Salus.FAILED)).hasSize(NAMES.length - 1).doesNotContainKey("regionserver1");
    ending.destroy();
    Await.until(
        "the NameNode has begun to end",
        Duration.ofSeconds(10),
        () -> Files.readString(dir().resolve("logs/namenode.out")).contains(DaemonProcess.ENDING));
    assertThat(start()).as(err.toString()).isZero();
    assertThat(err.toString())
        .contains("starting 3 region servers")
        .doesNotContain("starting ZooKeeper", "mounting");
    Map<String, Long> again = status(0);
    assertThat(again.remove("regionserver1")).isNotEqualTo(first.get("regionserver1"));
    assertThat(again.remove("namenode")).isNotEqualTo(first.get("namenode"));
    // HBase may end servers of its own while the NameNode is away.
    again.keySet().removeIf(name -> name.startsWith("regionserver") || name.equals("master"));
    assertThat(first).containsAllEntriesOf(again);
    assertThat(
            cluster(
                "start", "--servers", "3", "--volume", "disk2:64M", "--nbd", "127.0.0.1:" + port))
        .as("a volume that the bridge does not serve")
        .isEqualTo(Salus.FAILED);
    assertThat(err.toString()).contains("salus nbd disk2");
    assertThat(cluster("start", "--nbd", "127.0.0.1:" + port))
        .as("what runs serves what it served")
        .isZero();
    assertThat(out.toString().strip()).isEqualTo("ready " + uri());
    assertQemu("read -P 7 1M 64k");
  }

  /** A server that hangs answers nobody, and its connections stand. */
  private void volumesWithoutServersAreListed() throws Exception {
    for (int i = 3; i <= 9; i++) {
      assertThat(salus("volume", "create", "disk" + i + ":1M", "--data", dir().toString()))
          .as(err.toString())
          .isZero();
    }
    List<Long> servers =
        status(0).entrySet().stream()
            .filter(s -> s.getKey().startsWith("regionserver"))
            .map(Map.Entry::getValue)
            .toList();
    signal("STOP", servers);
    Await.until(
        "every volume is unavailable",
        Duration.ofSeconds(60),
        () -> {
          assertThat(salus("volume", "list", "--data", dir().toString())).isZero();
          assertThat(err.toString()).isEmpty();
          List<String> lines = out.toString().lines().toList();
          assertThat(lines).as("a heading and a line for each volume").hasSize(10);
          return lines.stream().skip(1).allMatch(l -> l.contains(" unavailable "));
        });
    signal("KILL", servers);
  }

  private static void signal(String name, List<Long> pids) throws Exception {
    for (long pid : pids) {
      Shell.run("kill", "-" + name, Long.toString(pid));
    }
  }

  private void assertNothingIsLeft(Map<String, Long> first) throws IOException {
    assertThat(processes()).isEmpty();
    try (Stream<Path> files = Files.list(dir().resolve("run"))) {
      assertThat(files).isEmpty();
    }
    assertThat(status(Salus.FAILED)).isEmpty();
    assertThat(first.values())
        .noneMatch(
            pid ->
                ProcessHandle.of(pid)
                    .filter(p -> p.info().commandLine().orElse("").contains(dir().toString()))
                    .isPresent());
  }
}
