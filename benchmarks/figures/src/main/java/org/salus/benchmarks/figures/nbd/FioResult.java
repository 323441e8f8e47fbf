package org.salus.benchmarks.figures.nbd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;

/**
 * What fio measured in one job.
 *
 * @param bytes bytes read or written while it measured
 * @param bytesPerSecond bytes of payload a second
 * @param iops requests a second
 * @param p50Nanos median time from handing over a request to its completion, in nanoseconds
 * @param p99Nanos 99th percentile of that time, in nanoseconds
 */
public record FioResult(
    long bytes, double bytesPerSecond, double iops, long p50Nanos, long p99Nanos) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Reads the report of one job.
   *
   * @param report what fio printed with {@code --output-format=json}; lines before the JSON are
   *     ignored
   * @param reads whether the half about reads counts, not the one about writes
   * @throws IOException with one line, when it is no such report or tells of an error
   */
  static FioResult parse(String report, boolean reads) throws IOException {
    JsonNode job = tree(report).path("jobs").path(0);
    JsonNode half = job.path(reads ? "read" : "write");
    if (!half.path("bw_bytes").isNumber()) {
      throw new IOException("fio's report has no job in it");
    }
    int error = job.path("error").asInt();
    if (error != 0) {
      throw new IOException("fio ended with error " + error);
    }
    if (half.path("total_ios").asLong() == 0) {
      throw new IOException("fio completed no request in time; give it more with --seconds");
    }
    return new FioResult(
        half.path("io_bytes").asLong(),
        half.path("bw_bytes").asDouble(),
        half.path("iops").asDouble(),
        percentile(half, 50),
        percentile(half, 99));
  }

  private static JsonNode tree(String report) throws IOException {
    int begin = report.indexOf('{');
    try {
      return JSON.readTree(begin < 0 ? "" : report.substring(begin));
    } catch (JsonProcessingException nonsense) {
      throw new IOException("fio's report is no JSON: " + nonsense.getOriginalMessage(), nonsense);
    }
  }

  private static long percentile(JsonNode half, double which) throws IOException {
    for (Map.Entry<String, JsonNode> p : half.path("lat_ns").path("percentile").properties()) {
      if (Double.parseDouble(p.getKey()) == which) {
        return p.getValue().asLong();
      }
    }
    throw new IOException("fio's report lacks the latency's percentile " + which);
  }
}
