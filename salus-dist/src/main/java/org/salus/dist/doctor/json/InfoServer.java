package org.salus.dist.doctor.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.salus.dist.doctor.cluster.HdfsState;
import org.salus.dist.doctor.cluster.InfoAnswer;

/**
 * Asks info servers of HDFS and HBase. Each request ends after a time limit, also if the daemon
 * hangs. Thread-safe.
 */
public final class InfoServer {
  private static final String RUNTIME = "/jmx?qry=java.lang:type=Runtime";
  private static final String NAME_NODE = "/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo";

  /** A line of Prometheus' text; no label of Salus has a brace in it. */
  private static final Pattern METRIC = Pattern.compile("(salus_\\w+(?:\\{[^}]*})?) (\\S+)");

  /** Dates of HTTP have no part of a second. On average half of one is missing. */
  private static final double HALF_SECOND = 0.5;

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client;
  private final Duration limit;

  /**
   * @param limit the longest time for one request
   */
  public InfoServer(Executor executor, Duration limit) {
    this.limit = limit;
    this.client =
        HttpClient.newBuilder()
            .executor(executor)
            .version(HttpClient.Version.HTTP_1_1) // a DataNode refuses what HTTP/2 begins with
            .connectTimeout(limit)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
  }

  /** A body, and what the date beside it says of the clock. */
  private record Reply(String body, double ahead, double uncertain) {}

  /**
   * Asks a daemon for what every daemon tells.
   *
   * @param info {@code host:port}
   * @param withMetrics whether it may have metrics of Salus
   * @throws IOException if it does not answer; the message says how
   */
  public InfoAnswer ask(String info, boolean withMetrics) throws IOException {
    Reply runtime = get(info, RUNTIME);
    Map<String, String> system = new HashMap<>();
    bean(info, runtime)
        .path("SystemProperties")
        .forEach(p -> system.put(p.path("key").asText(), p.path("value").asText()));
    Map<String, String> settings = settings(info);
    Map<String, Double> metrics = Map.of();
    String noMetrics = "";
    if (withMetrics) {
      try {
        metrics = metricsOf(get(info, "/salus/metrics").body());
      } catch (IOException failed) { // the rest is known all the same
        noMetrics = failed.getMessage();
      }
    }
    return new InfoAnswer(
        settings,
        jars(system.getOrDefault("java.class.path", "")),
        system.getOrDefault("user.name", ""),
        runtime.ahead(),
        runtime.uncertain(),
        metrics,
        noMetrics);
  }

  private static List<String> jars(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .map(entry -> entry.substring(entry.lastIndexOf('/') + 1))
        .toList();
  }

  private Map<String, String> settings(String info) throws IOException {
    Map<String, String> settings = new HashMap<>();
    parse(info, get(info, "/conf?format=json").body())
        .path("properties")
        .forEach(p -> settings.put(p.path("key").asText(), p.path("value").asText()));
    return settings;
  }

  static Map<String, Double> metricsOf(String text) {
    Map<String, Double> metrics = new HashMap<>();
    text.lines()
        .map(METRIC::matcher)
        .filter(Matcher::matches)
        .forEach(m -> metrics.put(m.group(1), number(m.group(2))));
    return metrics;
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /**
   * Asks a NameNode for the state of HDFS.
   *
   * @param nameNode {@code host:port} of its RPC server
   * @param info {@code host:port}
   * @throws IOException if it does not say
   */
  public HdfsState hdfs(String nameNode, String info) throws IOException {
    return hdfsOf(nameNode, info, bean(info, get(info, NAME_NODE)));
  }

  private HdfsState hdfsOf(String nameNode, String info, JsonNode bean) throws IOException {
    List<HdfsState.DataNode> nodes = new ArrayList<>();
    JsonNode live = parse(info, bean.path("LiveNodes").asText("{}"));
    live.properties().forEach(n -> nodes.add(node(n.getKey(), n.getValue(), true)));
    JsonNode dead = parse(info, bean.path("DeadNodes").asText("{}"));
    dead.properties().forEach(n -> nodes.add(node(n.getKey(), n.getValue(), false)));
    List<String> lost = new ArrayList<>();
    parse(info, bean.path("NameDirStatuses").asText("{}"))
        .path("failed")
        .fieldNames()
        .forEachRemaining(lost::add);
    return new HdfsState(nameNode, bean.path("Safemode").asText(""), lost, nodes);
  }

  private static HdfsState.DataNode node(String name, JsonNode n, boolean live) {
    return new HdfsState.DataNode(
        name.contains(":") ? name.substring(0, name.lastIndexOf(':')) : name,
        n.path("xferaddr").asText(""),
        n.path("infoAddr").asText(""),
        live,
        n.path("adminState").asText(""),
        n.path("lastContact").asLong(),
        n.path("capacity").asLong(),
        n.path("remaining").asLong());
  }

  private JsonNode bean(String info, Reply reply) throws IOException {
    JsonNode bean = parse(info, reply.body()).path("beans").path(0);
    if (bean.isMissingNode()) {
      throw new IOException("http://" + info + "/jmx has not what a daemon of Hadoop tells there");
    }
    return bean;
  }

  private JsonNode parse(String info, String text) throws IOException {
    try {
      return json.readTree(text);
    } catch (IOException other) {
      throw new IOException("http://" + info + " does not answer as a daemon of Hadoop", other);
    }
  }

  private Reply get(String info, String path) throws IOException {
    URI uri;
    try {
      uri = URI.create("http://" + info + path);
    } catch (IllegalArgumentException nonsense) {
      throw new IOException("'" + info + "' is not an address", nonsense);
    }
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json, text/plain")
            .timeout(limit)
            .build();
    long wall = System.currentTimeMillis();
    long began = System.nanoTime();
    // Its time limit ends with the head of an answer; the wait's limit counts for the body, too.
    CompletableFuture<HttpResponse<String>> asked =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      HttpResponse<String> answer = asked.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (answer.statusCode() != 200) {
        throw new IOException(uri + " answers with HTTP status " + answer.statusCode());
      }
      return reply(answer, wall, (System.nanoTime() - began) / 1e9);
    } catch (ExecutionException failed) {
      Throwable why = failed.getCause();
      throw new IOException(
          "http://"
              + info
              + " does not answer"
              + (why.getMessage() == null ? "" : ": " + why.getMessage()),
          why);
    } catch (TimeoutException late) {
      asked.cancel(true);
      throw new IOException(
          "http://" + info + " does not answer within " + limit.toSeconds() + " s", late);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** The date was written at an unknown moment between the request and the answer. */
  private static Reply reply(HttpResponse<String> answer, long wall, double took) {
    String date = answer.headers().firstValue("Date").orElse("");
    try {
      double there =
          ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond()
              + HALF_SECOND;
      return new Reply(answer.body(), there - (wall / 1e3 + took / 2), HALF_SECOND + took / 2);
    } catch (DateTimeParseException none) {
      return new Reply(answer.body(), 0, Double.POSITIVE_INFINITY);
    }
  }
}
