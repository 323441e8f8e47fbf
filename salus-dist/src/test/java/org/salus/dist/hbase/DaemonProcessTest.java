package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DaemonProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path dir;

  private DaemonProcess daemon() {
    return new DaemonProcess(dir, "daemon", List.of(), List.of(), "", List.of());
  }

  private void note(ProcessHandle process) throws IOException {
    Files.createDirectories(dir.resolve("run"));
    Files.writeString(
        dir.resolve("run/daemon.pid"),
        process.pid() + " " + process.info().startInstant().orElseThrow().toEpochMilli());
  }

  /** As in a container whose first process asks for no exit codes. */
  @Test
  void aProcessThatHasEndedDoesNotRunThoughItsParentDoesNotCare() throws Exception {
    Process parent = new ProcessBuilder("sh", "-c", "sleep 300 & echo $!; exec sleep 300").start();
    try {
      long pid = Long.parseLong(parent.inputReader().readLine());
      ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
      // Until then the parent is a shell, which may ask for the exit code.
      Path name = Path.of("/proc", Long.toString(parent.pid()), "comm");
      Await.until(
          "the parent does not care", PATIENCE, () -> Files.readString(name).equals("sleep\n"));
      note(child);
      assertThat(daemon().process()).contains(child);
      assertThat(daemon().isEnding()).isFalse();
      child.destroyForcibly();
      Await.until("it has ended", PATIENCE, () -> daemon().process().isEmpty());
      assertThat(child.isAlive()).as("for Java").isTrue();
      assertThatThrownBy(() -> daemon().running()).hasMessageStartingWith("daemon does not run");
      daemon().kill();
      daemon().stop();
      assertThat(dir.resolve("run/daemon.pid")).doesNotExist();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void stopAndKillEndAProcessWhoseParentDoesNotCare() throws Exception {
    for (boolean isKilled : List.of(true, false)) {
      Process parent =
          new ProcessBuilder("sh", "-c", "sleep 300 & echo $!; exec sleep 300").start();
      try {
        long pid = Long.parseLong(parent.inputReader().readLine());
        note(ProcessHandle.of(pid).orElseThrow());
        if (isKilled) {
          daemon().kill();
        } else {
          daemon().stop();
        }
        assertThat(daemon().process()).isEmpty();
      } finally {
        parent.destroyForcibly();
      }
    }
  }
}
