package org.salus.benchmarks.figures.recovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the time of a fail-over goes, as the daemons' logs say. It reads what they have written
 * since a mark. Not thread-safe.
 */
final class OpeningLog {
  /** The step from the fault to the master's decision about the last region. */
  static final String NOTICE = "notice";

  /** The time at the beginning of a line, of an epoch that the master opens. */
  private static final Pattern OPENED =
      Pattern.compile("^(\\S+ \\S+) .*region (\\d+) of volume \\S+: epoch \\d+ on .*");

  /** The steps of an epoch that serves, as M0 has measured them. */
  private static final Pattern SERVES =
      Pattern.compile(".* serves epoch \\d+ after \\d+ ms \\(([^)]*)\\)");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");

  private final List<Path> logs;
  private final Map<Path, Long> marks = new HashMap<>();
  private long marked;

  OpeningLog(List<Path> logs) {
    this.logs = List.copyOf(logs);
  }

  /** What is logged from now on counts. */
  void mark() throws IOException {
    for (Path log : logs) {
      marks.put(log, Files.exists(log) ? Files.size(log) : 0);
    }
    marked = System.currentTimeMillis();
  }

  /**
   * The longest time of each step since the mark, in seconds, in the order of the steps. Regions
   * open at the same time.
   */
  Map<String, Double> steps() throws IOException {
    Map<Integer, Double> noticed = new TreeMap<>();
    Map<String, Double> steps = new LinkedHashMap<>();
    for (Path log : logs) {
      for (String line : since(log)) {
        Matcher opened = OPENED.matcher(line);
        Matcher serves = SERVES.matcher(line);
        if (opened.matches()) {
          noticed.putIfAbsent(Integer.parseInt(opened.group(2)), at(opened.group(1)));
        } else if (serves.matches()) {
          for (String step : serves.group(1).split(", ")) {
            int space = step.lastIndexOf(' ');
            steps.merge(
                step.substring(0, space),
                Integer.parseInt(step.substring(space + 1)) / 1e3,
                Math::max);
          }
        }
      }
    }
    Map<String, Double> all = new LinkedHashMap<>();
    OptionalDouble last = noticed.values().stream().mapToDouble(Double::doubleValue).max();
    last.ifPresent(seconds -> all.put(NOTICE, seconds));
    all.putAll(steps);
    return all;
  }

  private double at(String time) {
    long millis =
        LocalDateTime.parse(time, TIME).atZone(ZoneId.systemDefault()).toInstant().toEpochMilli();
    return (millis - marked) / 1e3;
  }

  private List<String> since(Path log) throws IOException {
    if (!Files.exists(log)) {
      return List.of();
    }
    byte[] all = Files.readAllBytes(log);
    int from = (int) Math.min(all.length, marks.getOrDefault(log, 0L));
    return new String(all, from, all.length - from, StandardCharsets.UTF_8).lines().toList();
  }
}
