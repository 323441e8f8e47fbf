package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.log4j.LogManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LoggingTest {
  @TempDir Path dir;

  @AfterEach
  void endLogging() {
    LogManager.resetConfiguration();
    Logging.quiet(false);
  }

  @Test
  void aSmallLogIsBoundedWhateverComes() throws IOException {
    Logging.toSmallFile(dir.resolve("logs/disk.log"), false);
    String much = "x".repeat(64 << 10);
    for (int i = 0; i < 128; i++) {
      LoggerFactory.getLogger(LoggingTest.class).warn("{} {}", i, much);
    }
    LoggerFactory.getLogger(LoggingTest.class).warn("the newest line");
    LogManager.shutdown();
    List<Path> files;
    try (Stream<Path> all = Files.list(dir.resolve("logs"))) {
      files = all.sorted().toList();
    }
    assertThat(files)
        .extracting(f -> f.getFileName().toString())
        .containsExactly("disk.log", "disk.log.1", "disk.log.2");
    for (Path file : files) {
      assertThat(Files.size(file)).isLessThan((1 << 20) + (128 << 10));
    }
    assertThat(files.get(0)).content().contains("the newest line");
  }
}
