package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks the alerts in {@code conf/monitoring} with Prometheus' own promtool (Debian: prometheus):
 * each is quiet, then fires, and says what to do. {@link AlertsByFaultTest} raises them.
 */
class AlertsTest {
  private static final Path DIST = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
  private static final Path MONITORING = DIST.resolveSibling("conf/monitoring");
  private static final Path TESTS = DIST.resolve("src/test/resources/alerts-test.yml");

  private static Set<String> all(Path file, String pattern) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(file))
        .results()
        .map(m -> m.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  @Timeout(60)
  void prometheusTakesTheFiles() throws Exception {
    Shell.run("promtool", "check", "config", MONITORING.resolve("prometheus.yml").toString());
    Shell.run("promtool", "check", "rules", MONITORING.resolve("alerts.yml").toString());
  }

  @Test
  @Timeout(60)
  void eachAlertIsQuietThenFiresAndSaysWhatToDo() throws Exception {
    assertThat(all(TESTS, "alertname: (\\w+)"))
        .isEqualTo(all(MONITORING.resolve("alerts.yml"), "alert: (\\w+)"))
        .isNotEmpty();
    Shell.run("promtool", "test", "rules", TESTS.toString());
  }

  /** An alert on a metric that nobody shows would never fire. */
  @Test
  void everyMetricOfAlertsAndPanelsIsInTheTable() throws Exception {
    Set<String> known = all(DIST.resolveSibling("docs/operating.md"), "`(salus_\\w+)`");
    for (String file : List.of("alerts.yml", "grafana-dashboard.json")) {
      Set<String> used =
          all(MONITORING.resolve(file), "\\b(salus_\\w+)").stream()
              .map(m -> m.replaceAll("_(bucket|sum|count)$", ""))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(known).as(file).containsAll(used);
    }
  }

  @Test
  void everyAlertIsInTheTable() throws Exception {
    assertThat(all(DIST.resolveSibling("docs/operating.md"), "(?m)^\\| \\**`(Salus\\w+)`"))
        .isEqualTo(all(MONITORING.resolve("alerts.yml"), "alert: (\\w+)"));
  }

  @Test
  void everyAlertIsRaisedByItsFault() throws Exception {
    Path faults = DIST.resolve("src/test/java/org/salus/dist/system/AlertsByFaultTest.java");
    assertThat(all(faults, "awaitAlert\\(\\s*\"(Salus\\w+)\""))
        .isEqualTo(all(MONITORING.resolve("alerts.yml"), "alert: (\\w+)"));
  }
}
