package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.hbase.Daemon;

/**
 * What uses Salus' servers ends before them, in units of systemd and where {@code map} makes one.
 */
class UnitsTest {
  private static final Path UNITS =
      Path.of(System.getProperty("basedir", ".")).resolveSibling("conf/systemd").toAbsolutePath();

  private static final String AFTER = "After=";

  /** The units of all daemons; each daemon has one. */
  private static Set<String> servers() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(UNITS)) {
      for (Path unit : files.toList()) {
        if (Files.readString(unit).contains("bin/salus daemon ")) {
          names.add(unit.getFileName().toString());
        }
      }
    }
    assertThat(names)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Daemon.values())
                .map(d -> "salus-" + d.name().toLowerCase(Locale.ROOT) + ".service")
                .toList());
    return names;
  }

  private static List<String> words(Stream<String> lines) {
    return lines
        .filter(l -> l.startsWith(AFTER))
        .flatMap(l -> Stream.of(l.substring(AFTER.length()).split(" ")))
        .toList();
  }

  private static List<String> after(String unit) throws IOException {
    return words(Files.readString(UNITS.resolve(unit)).lines());
  }

  @ParameterizedTest
  @ValueSource(strings = {"salus-map.service", "salus-nbd@.service"})
  void whatUsesServersOfThisHostEndsBeforeThem(String unit) throws IOException {
    assertThat(after(unit)).containsAll(servers()).contains("network-online.target");
  }

  @Test
  void theUnitOfABridgeThatMapStartsEndsBeforeTheSame() throws IOException {
    assertThat(
            words(
                Machine.SCOPE.stream()
                    .filter(w -> w.startsWith("--property="))
                    .map(w -> w.substring("--property=".length()))))
        .containsExactlyInAnyOrderElementsOf(after("salus-map.service"));
  }
}
