package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.salus.dist.hbase.Await;

/**
 * A real Prometheus (Debian: prometheus) with the files of {@code conf/monitoring}. Their times are
 * shorter, so that nobody waits for minutes. For one thread.
 */
final class Prometheus implements AutoCloseable {
  static final Path FILES =
      Path.of(System.getProperty("basedir", "."))
          .toAbsolutePath()
          .resolveSibling("conf/monitoring");

  /** How much shorter ranges are, and the times for which a condition must hold. */
  private static final int FASTER = 30;

  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern TIME = Pattern.compile("(for: |\\[)(\\d+)([mh])\\b");

  /** A prediction's distance, in seconds. */
  private static final Pattern AHEAD = Pattern.compile("\\b24 \\* 3600\\b");

  /** What happens so often cannot happen thirty times as often. */
  private static final Pattern AS_IT_IS = Pattern.compile("^ *expr: .*salus_replacements_total.*");

  /** An alert that is pending or fires. */
  record Alert(Map<String, String> labels, boolean fires, String summary, String action) {
    String name() {
      return labels.get("alertname");
    }

    boolean is(String name, Map<String, String> some) {
      return name().equals(name) && labels.entrySet().containsAll(some.entrySet());
    }
  }

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final String address;

  private Prometheus(Process process, String address) {
    this.process = process;
    this.address = address;
  }

  /**
   * Starts one; returns when it is ready.
   *
   * @param dir for its data, made if missing
   * @param targets {@code host:port} by the job's name, for all jobs of the configuration
   */
  static Prometheus start(Path dir, Map<String, List<String>> targets) throws Exception {
    Files.createDirectories(dir);
    Path config = dir.resolve("prometheus.yml");
    Files.writeString(config, config(Files.readString(FILES.resolve("prometheus.yml")), targets));
    Files.writeString(
        dir.resolve("alerts.yml"),
        Files.readString(FILES.resolve("alerts.yml"))
            .lines()
            .map(Prometheus::shorten)
            .collect(Collectors.joining("\n", "", "\n")));
    Shell.run("promtool", "check", "config", config.toString());
    String address = "127.0.0.1:" + StandaloneProcess.freePort();
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + dir.resolve("data"),
                "--web.listen-address=" + address,
                "--log.level=warn")
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("prometheus.out").toFile())
            .start();
    Prometheus started = new Prometheus(process, address);
    Await.until(
        "Prometheus is ready; see " + dir.resolve("prometheus.out"), PATIENCE, started::isReady);
    return started;
  }

  private static String config(String text, Map<String, List<String>> targets) {
    String job = "";
    List<String> lines = new ArrayList<>();
    for (String line : text.replaceAll("_interval: 15s", "_interval: 1s").lines().toList()) {
      if (line.contains("job_name: ")) {
        job = line.substring(line.indexOf(": ") + 2);
      }
      lines.add(line.replaceAll("targets: .*", "targets: " + targets.get(job)));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String shorten(String line) {
    if (AS_IT_IS.matcher(line).matches()) {
      return line;
    }
    String shorter =
        TIME.matcher(line)
            .replaceAll(
                m -> {
                  int seconds = Integer.parseInt(m.group(2)) * (m.group(3).equals("m") ? 60 : 3600);
                  return Matcher.quoteReplacement(m.group(1) + seconds / FASTER + "s");
                });
    return AHEAD.matcher(shorter).replaceAll(Integer.toString(24 * 3600 / FASTER));
  }

  private boolean isReady() {
    try {
      return get("/-/ready").statusCode() == 200;
    } catch (IOException | InterruptedException notYet) {
      return false;
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://" + address + path)).timeout(PATIENCE).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode data(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/api/v1/" + path);
    if (answer.statusCode() != 200) {
      throw new IOException(path + ": " + answer.body());
    }
    return JSON.readTree(answer.body()).get("data");
  }

  /** All alerts that are pending or fire. */
  List<Alert> alerts() throws IOException, InterruptedException {
    return StreamSupport.stream(data("alerts").get("alerts").spliterator(), false)
        .map(
            a ->
                new Alert(
                    strings(a.get("labels")),
                    a.get("state").asText().equals("firing"),
                    a.get("annotations").get("summary").asText(),
                    a.get("annotations").get("action").asText()))
        .toList();
  }

  /** Waits until an alert fires that has these labels, in pairs, among others. */
  void awaitAlert(String name, String... labels) throws Exception {
    Map<String, String> wanted = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      wanted.put(labels[i], labels[i + 1]);
    }
    List<Alert> found = new ArrayList<>();
    Await.until(
        name + " fires with " + wanted,
        PATIENCE,
        () -> {
          alerts().stream().filter(a -> a.fires() && a.is(name, wanted)).forEach(found::add);
          return !found.isEmpty();
        });
    System.out.println(found.get(0));
    assertThat(found.get(0).summary() + found.get(0).action()).doesNotContain("<no value>");
  }

  /** Waits until nothing fires but these. */
  void awaitQuiet(Set<String> but) throws Exception {
    Await.until(
        "nothing fires",
        PATIENCE,
        () -> alerts().stream().noneMatch(a -> a.fires() && !but.contains(a.name())));
  }

  /** The labels of what an expression gives now, other than what is not a number. */
  List<Map<String, String>> query(String expression) throws IOException, InterruptedException {
    String query = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    return StreamSupport.stream(data("query?query=" + query).get("result").spliterator(), false)
        .filter(series -> !series.get("value").get(1).asText().equals("NaN"))
        .map(series -> strings(series.get("metric")))
        .toList();
  }

  private static Map<String, String> strings(JsonNode of) {
    Map<String, String> all = new TreeMap<>();
    of.properties().forEach(f -> all.put(f.getKey(), f.getValue().asText()));
    return all;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
