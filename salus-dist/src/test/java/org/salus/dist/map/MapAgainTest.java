package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.DaemonProcess;

/** What the timer's command maps, starts, and leaves alone, on a machine in a directory. */
@Timeout(240)
class MapAgainTest {
  private static final MapRequest DISK =
      new MapRequest("disk1", null, false, 600, null, List.of("--zookeeper", "zk:1"), false);

  /** The same volume of a bridge that does not run. */
  private static final MapRequest AWAY =
      new MapRequest(
          "disk1", null, false, 600, BridgeAddress.unix(Path.of("/none")), List.of(), false);

  @TempDir Path temp;

  private final List<String> notes = new CopyOnWriteArrayList<>();
  private FakeMachine fake;
  private Mapper mapper;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeMachine(temp);
    mapper = fake.mapper(true, notes::add);
  }

  @AfterEach
  void stopBridges() throws IOException {
    FakeMachine.endBridges(mapper);
  }

  private void map() throws IOException {
    mapper.map(DISK, Set.of());
  }

  private Optional<Path> mapAgain() throws IOException {
    return mapper.mapAgain(DISK, Set.of());
  }

  private MappedVolume mapped() throws IOException {
    return mapper.mapped().get(0);
  }

  private ProcessHandle bridge() throws IOException {
    return ProcessHandle.of(mapped().bridgeProcess()).orElseThrow();
  }

  private ProcessHandle server() throws IOException {
    return bridge().children().findFirst().orElseThrow();
  }

  private static void signal(String signal, ProcessHandle to) throws IOException {
    new LocalPrograms().run(List.of("kill", signal, "" + to.pid()));
  }

  // ---- what was unmapped ----

  @Test
  void whatIsUnmappedByHandIsLeftUnmappedUntilItIsMappedByHand() throws Exception {
    map();
    mapper.unmap("disk1", false);
    assertThat(mapAgain()).isEmpty();
    map();
    mapper.unmapForNow("disk1", false);
    assertThat(mapAgain()).isPresent();
    mapper.unmap("disk1", false);
  }

  /** The unit unmaps all volumes when it stops, and a bridge is away when it starts again. */
  @Test
  void unitThatCannotMapAVolumeAtItsStartMapsItLater() throws Exception {
    map();
    mapper.unmapForNow("disk1", false);
    assertThatThrownBy(() -> mapper.map(AWAY, Set.of())).hasMessageContaining("no bridge serves");
    assertThat(mapAgain()).isPresent();
    mapper.unmap("disk1", false);
  }

  @Test
  void mapByHandCountsThoughItFails() throws Exception {
    map();
    mapper.unmap("disk1", false);
    assertThat(mapper.mapAgain(AWAY, Set.of())).isEmpty();
    assertThatThrownBy(() -> mapper.map(AWAY, Set.of())).hasMessageContaining("no bridge serves");
    assertThat(mapAgain()).isPresent();
    mapper.unmap("disk1", false);
  }

  @Test
  void unmapByHandCountsThoughTheMappingWasBrokenOff() throws Exception {
    fake.crash = FakeMachine.Moment.BEFORE_ATTACH;
    assertThatThrownBy(this::map).isInstanceOf(FakeMachine.Crash.class);
    fake.crash = FakeMachine.Moment.NEVER;
    mapper.unmap("disk1", false);
    assertThat(mapper.mapped()).isEmpty();
    assertThat(mapAgain()).isEmpty();
  }

  @Test
  void unmapByHandCountsThoughAProgramGoesOn() throws Exception {
    map();
    fake.write("program-stays", "");
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("still holds requests");
    assertThat(mapAgain()).isEmpty();
    assertThat(mapped().state()).isEqualTo(MappedVolume.GONE);
    mapper.unmap("disk1", true);
  }

  @Test
  void volumeThatKeepsItsDeviceKeepsItsBridge() throws Exception {
    map();
    fake.write("proc/1/mountinfo", "9 1 43:0 / /data rw - ext4 /dev/x rw\n");
    assertThatThrownBy(() -> mapper.unmap("disk1", false)).hasMessageContaining("is in use");
    ProcessHandle bridge = bridge();
    bridge.destroy();
    bridge.onExit().join();
    assertThat(mapAgain()).isPresent();
    assertThat(mapped().state()).isEqualTo(MappedVolume.ATTACHED);
    mapper.unmap("disk1", true);
  }

  // ---- bridges that do not answer ----

  @Test
  void bridgeThatGivesNoSignForLongIsStartedAgain() throws Exception {
    map();
    ProcessHandle bridge = bridge();
    ProcessHandle server = server();
    signal("-STOP", server);
    Mapper impatient =
        new Mapper(
            fake.machine(true), fake.runDir(), fake.on(), notes::add, Duration.ofMillis(100));
    try {
      assertThat(mapped().state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
      assertThat(mapped().problem()).isEqualTo("it does not answer");
      assertThat(impatient.mapAgain(DISK, Set.of())).isPresent();
      assertThat(mapped().state()).isEqualTo(MappedVolume.ATTACHED);
      assertThat(mapped().bridgeProcess()).isNotEqualTo(bridge.pid());
      assertThat(notes).anyMatch(n -> n.contains("it is stopped, and started again"));
    } finally {
      server.destroyForcibly();
    }
    mapper.unmap("disk1", false);
  }

  @Test
  void bridgeThatIsSlowIsLeftAlone() throws Exception {
    map();
    ProcessHandle bridge = bridge();
    ProcessHandle server = server();
    signal("-STOP", server);
    CompletableFuture<Void> again = CompletableFuture.runAsync(this::mapAgainUnchecked);
    try {
      for (int looks = 0; looks < 2; looks++) { // each as long as it is waited for by showmapped
        assertThat(mapped().state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
      }
    } finally {
      signal("-CONT", server);
    }
    again.join();
    assertThat(mapped().bridgeProcess()).isEqualTo(bridge.pid());
    assertThat(notes).isEmpty();
    mapper.unmap("disk1", false);
  }

  /** Its cluster is away, so it does not listen yet, and whoever started it has given up. */
  @Test
  void bridgeThatIsStartingIsWaitedFor() throws Exception {
    map();
    ProcessHandle first = bridge();
    first.destroy();
    first.onExit().join();
    fake.write("cluster-away", "");
    DaemonProcess starting =
        DaemonProcess.bridge(
            fake.runDir(),
            "disk1",
            fake.on(),
            Path.of(mapped().bridge().substring(BridgeAddress.UNIX.length())),
            List.of("--one-client", "--last-mount", fake.runDir().resolve("disk1.mount") + ""));
    starting.start();
    while (fake.lines("bridges").size() < 2) {
      Thread.onSpinWait();
    }
    CompletableFuture<Thread> command = new CompletableFuture<>();
    CompletableFuture<Void> again =
        CompletableFuture.runAsync(
            () -> {
              command.complete(Thread.currentThread());
              mapAgainUnchecked();
            });
    while (!waits(command.join())) {
      Thread.onSpinWait();
    }
    Files.delete(temp.resolve("cluster-away"));
    again.join();
    assertThat(mapped().bridgeProcess()).isEqualTo(starting.process().orElseThrow().pid());
    assertThat(fake.lines("bridges")).hasSize(2);
    mapper.unmap("disk1", false);
  }

  /** Whether a command waits for the bridge to do something. */
  private static boolean waits(Thread command) {
    return command.getState() == Thread.State.TIMED_WAITING
        && Stream.of(command.getStackTrace())
            .anyMatch(f -> f.getClassName().equals(DaemonProcess.class.getName()));
  }

  private void mapAgainUnchecked() {
    try {
      mapAgain();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Test
  void onlyWhoeverMayWriteTheDirectoryForgetsWhatWasUnmapped() throws Exception {
    map();
    assertThat(new Mapper(fake.machine(false), fake.runDir(), fake.on(), notes::add))
        .satisfies(
            other ->
                assertThatThrownBy(() -> other.unmap("disk1", false))
                    .hasMessageContaining("only root may attach and detach"));
    mapper.unmapForNow("disk1", false);
    assertThat(mapAgain()).as("nobody was allowed to unmap it").isPresent();
    mapper.unmap("disk1", false);
  }
}
