package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    Files.writeString(dir.resolve("run/daemon.pid"), DaemonProcess.note(process.pid()));
  }

  /** One that refuses its volume has often ended before its pid is written down. */
  @Test
  void aProcessThatEndedAtOnceLeavesANoteThatIsNotDamaged() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    note(process.toHandle());
    assertThat(daemon().process()).isEmpty();
  }

  /** The start is no time of a clock that somebody may set. */
  @Test
  void aProcessIsKnownByTheTicksAtItsStart() throws Exception {
    Process process = new ProcessBuilder("sleep", "300").start();
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      assertThat(DaemonProcess.start(process.pid())).startsWith(stat.split(" ")[21] + "@");
      note(process.toHandle());
      assertThat(daemon().process()).contains(process.toHandle());
      Files.writeString(dir.resolve("run/daemon.pid"), process.pid() + " 1@another boot");
      assertThat(daemon().process()).isEmpty();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Who started it ended before it had written the pid down. */
  @Test
  void aBridgeWithoutPidFileIsFoundByItsSocket() throws Exception {
    Path socket = dir.resolve("b.sock");
    DaemonProcess bridge = DaemonProcess.bridge(dir, "disk1", List.of(), socket, List.of());
    Process process =
        new ProcessBuilder(
                "sh", "-c", "sleep 300; :", "java", "nbd", "disk1", "--socket", socket.toString())
            .start();
    try {
      assertThat(bridge.process()).contains(process.toHandle());
      Files.createDirectories(dir.resolve("run"));
      Files.writeString(dir.resolve("run/disk1.pid"), "1 1@an earlier one");
      assertThat(bridge.process()).contains(process.toHandle());
      assertThat(DaemonProcess.bridge(dir, "disk", List.of(), socket, List.of()).process())
          .isEmpty();
      bridge.stop();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** A JVM may be told to print what it does. */
  @Test
  void ofMuchOutputTheFirstAndTheLastLinesCount() throws IOException {
    DaemonProcess bridge =
        DaemonProcess.bridge(dir, "disk1", List.of(), dir.resolve("b.sock"), List.of(), null);
    Files.createDirectories(bridge.output().getParent());
    for (int lines : new int[] {0, 10, 1_000_000}) {
      Files.writeString(bridge.output(), "first\n" + "of gc\n".repeat(lines) + "last\n");
      assertThat(bridge.said()).startsWith("first").endsWith("last");
      assertThat(bridge.said().count()).isLessThan(100_000).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void aBridgeHasFurtherOptionsOfItsJvm() throws IOException {
    String options = "  -XX:MaxDirectMemorySize=64m\t-XX:+UseG1GC ";
    List<String> command =
        DaemonProcess.bridge(
                dir, "disk1", List.of("setsid"), dir.resolve("b.sock"), List.of(), options)
            .command();
    assertThat(command).startsWith("setsid").containsOnlyOnce("-XX:MaxDirectMemorySize=64m");
    assertThat(command).contains("-XX:+UseG1GC").doesNotContain("-XX:+UseSerialGC", "");
    for (String none : Arrays.asList(null, "", " ")) {
      assertThat(
              DaemonProcess.bridge(dir, "disk1", List.of(), dir.resolve("b.sock"), List.of(), none)
                  .command())
          .contains("-XX:+UseSerialGC")
          .doesNotContain("");
    }
  }

  @Test
  void whatABridgeLogsGoesToFilesOfWhichNothingIsLeft() throws Exception {
    DaemonProcess bridge =
        DaemonProcess.bridge(dir, "disk1", List.of(), dir.resolve("b.sock"), List.of());
    assertThat(bridge.command())
        .containsSequence("--log", dir.resolve("logs/disk1.log").toString());
    Files.createDirectories(dir.resolve("logs"));
    for (String name : List.of("disk1.out", "disk1.log", "disk1.log.1", "disk1.log.2")) {
      Files.writeString(dir.resolve("logs").resolve(name), "x");
    }
    Files.writeString(dir.resolve("logs/disk10.log"), "x");
    bridge.deleteOutput();
    assertThat(dir.resolve("logs").toFile().list()).containsExactly("disk10.log");
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
