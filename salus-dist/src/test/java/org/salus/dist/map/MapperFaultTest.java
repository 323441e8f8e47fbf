package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.Volume;
import org.salus.dist.hbase.Await;
import org.salus.nbd.Exports;
import org.salus.nbd.netty.NbdServer;

/** What must never reach a volume, or be lost unasked, on a machine in a directory. */
@Timeout(120)
class MapperFaultTest {
  private static final List<String> CLUSTER = List.of("--zookeeper", "zk:1");
  private static final long PROGRAM = 42420;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path temp;

  private final List<String> notes = new CopyOnWriteArrayList<>(); // commands run at once
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

  private Path map(String volume, List<String> cluster, boolean force) throws IOException {
    return mapper.map(new MapRequest(volume, null, false, 600, null, cluster, force), Set.of());
  }

  private Path map(String volume) throws IOException {
    return map(volume, CLUSTER, false);
  }

  private MappedVolume mapped(String volume) throws IOException {
    return mapper.mapped().stream()
        .filter(m -> m.volume().equals(volume))
        .findFirst()
        .orElseThrow();
  }

  private void killBridge(String volume) throws IOException {
    ProcessHandle bridge = ProcessHandle.of(mapped(volume).bridgeProcess()).orElseThrow();
    bridge.destroy();
    bridge.onExit().join();
  }

  private Path device(int number) {
    return temp.resolve("dev/nbd" + number);
  }

  @Test
  void anotherClusterIsAnotherVolume() throws Exception {
    map("disk1");
    List<String> other = List.of("--conf", "/b.xml");
    assertThatThrownBy(() -> map("disk1", other, false))
        .hasMessageContaining("already, of the cluster of '--zookeeper zk:1'");
    killBridge("disk1");
    assertThatThrownBy(() -> map("disk1", other, false)).hasMessageContaining("of the cluster of");
    assertThat(fake.lines("bridges")).hasSize(1);
    assertThat(map("disk1")).isEqualTo(device(0));
    assertThat(fake.lines("bridges")).hasSize(2).allMatch("disk1 --zookeeper zk:1"::equals);
    mapper.unmap("disk1", false);
  }

  /** The first line: somebody else mounted it. The second one: it was deleted and made anew. */
  @ParameterizedTest
  @ValueSource(strings = {"1 7", "2 1"})
  void aBridgeIsNotStartedAgainForAVolumeThatIsNotAsItWas(String now) throws Exception {
    map("disk1");
    killBridge("disk1");
    map("disk1");
    killBridge("disk1");
    fake.write("disk1", now + "\n");
    assertThatThrownBy(() -> map("disk1"))
        .hasMessageContaining("somebody else had disk1")
        .hasMessageContaining(device(0) + " waits for it")
        .hasMessageContaining("'salus unmap disk1 --force'");
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
    assertThat(temp.resolve("disk1")).hasContent(now);
    mapper.unmap("disk1", true);
    assertThat(map("disk1")).as("mapped anew").isEqualTo(device(0));
    mapper.unmap("disk1", false);
  }

  @Test
  void aNewMappingFollowsNothing() throws Exception {
    Files.createDirectories(fake.runDir());
    fake.write("run/disk1.mount", "9 9\n");
    fake.write("disk1", "1 5\n");
    map("disk1");
    assertThat(temp.resolve("disk1")).hasContent("1 6");
    mapper.unmap("disk1", false);
  }

  @Test
  void aBridgeIsNeverStartedAgainByForce() throws Exception {
    map("disk1", CLUSTER, true);
    killBridge("disk1");
    map("disk1", CLUSTER, true);
    assertThat(fake.lines("bridges"))
        .containsExactly("disk1 --zookeeper zk:1 --force", "disk1 --zookeeper zk:1");
    mapper.unmap("disk1", false);
  }

  /** It waits for a bridge, and would send what it holds to the next one. */
  @Test
  void aProgramThatGoesOnIsKilledByForceAndFindsNoOtherBridge() throws Exception {
    map("disk1");
    String bridge = mapped("disk1").bridge();
    killBridge("disk1");
    fake.write("program-stays", "");
    mapper.unmap("disk1", true);
    assertThat(fake.killed).containsExactly(PROGRAM);
    assertThat(notes).singleElement().asString().contains("is lost (the bridge does not serve");
    assertThat(fake.leftovers()).isEmpty();
    map("disk1");
    assertThat(mapped("disk1").bridge()).isNotEqualTo(bridge);
    Files.delete(temp.resolve("program-stays"));
    mapper.unmap("disk1", false);
  }

  @Test
  void aMappingWhoseProgramGoesOnIsKept() throws Exception {
    map("disk1");
    Files.delete(temp.resolve("sys/block/nbd0/pid"));
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.GONE);
    assertThatThrownBy(() -> map("disk1"))
        .hasMessageContaining(device(0) + " is detached")
        .hasMessageContaining("process " + PROGRAM + " still holds requests")
        .hasMessageContaining("unmap --force");
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.GONE);
    assertThat(fake.killed).isEmpty();
    mapper.unmap("disk1", true);
    assertThat(fake.killed).containsExactly(PROGRAM);
    assertThat(fake.leftovers()).isEmpty();
  }

  @Test
  void aDeviceThatCannotBeDetachedKeepsItsMapping() throws Exception {
    map("disk1");
    fake.write("device-stays", "");
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining(device(0) + " cannot be detached: busy")
        .hasMessageContaining("unmap --force");
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.ATTACHED);
    mapper.unmap("disk1", true);
    assertThat(mapper.mapped()).isEmpty();
  }

  @Test
  void aVolumeNamedAsADeviceIsNotTakenForIt() throws Exception {
    map("disk1");
    map("nbd0");
    assertThat(mapped("nbd0").device()).isEqualTo(device(1).toString());
    mapper.unmap("nbd0", false);
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.ATTACHED);
    assertThatThrownBy(() -> mapper.unmap("nbd0", false)).hasMessageContaining("is not mapped");
    mapper.unmap(device(0).toString(), false);
    assertThat(mapper.mapped()).isEmpty();
  }

  @Test
  void aDeviceThatIsTakenIntoUseWhileItIsWrittenOutIsKept() throws Exception {
    map("disk1");
    fake.write("mounted-meanwhile", "9 1 43:0 / /late rw - ext4 /dev/x rw\n");
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("is mounted at /late");
    assertThat(fake.calls("--disconnect")).isZero();
    mapper.unmap("disk1", true);
  }

  @Test
  void aFailedWriteOutIsToldAndDoesNotStopForce() throws Exception {
    map("disk1");
    fake.write("flush-fails", "sync: input/output error\n");
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("cannot be written out: sync: input/output error")
        .hasMessageContaining("--force");
    assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.ATTACHED);
    mapper.unmap("disk1", true);
    assertThat(notes).singleElement().asString().contains("is lost (sync: input/output error)");
    assertThat(fake.leftovers()).isEmpty();
    assertThat(fake.flushLimits).containsExactly(Duration.ofSeconds(660), Duration.ofSeconds(30));
  }

  @Test
  void forceDoesNotWaitForeverForAWriteOut() throws Exception {
    map("disk1");
    fake.patience = Duration.ofSeconds(1);
    fake.write("flush-hangs", "");
    mapper.unmap("disk1", true);
    assertThat(notes).singleElement().asString().contains("did not end within");
    Files.delete(temp.resolve("flush-hangs"));
    assertThat(mapper.mapped()).isEmpty();
  }

  @Test
  void aWriteOutThatHangsStopsNoOtherVolume() throws Exception {
    map("disk1");
    fake.write("flush-hangs", "");
    CompletableFuture<Void> unmapped = CompletableFuture.runAsync(() -> unmap("disk1"));
    Await.until("it writes out", PATIENCE, () -> !fake.flushLimits.isEmpty());
    map("disk2");
    Files.move(temp.resolve("flush-hangs"), temp.resolve("flushed"));
    unmapped.join();
    assertThat(mapper.mapped()).extracting(MappedVolume::volume).containsExactly("disk2");
    mapper.unmap("disk2", false);
  }

  private void unmap(String volume) {
    try {
      mapper.unmap(volume, false);
    } catch (IOException failed) {
      throw new CompletionException(failed);
    }
  }

  @Test
  void commandsForOneVolumeWaitForEachOther() throws Exception {
    map("disk1");
    fake.write("flush-hangs", "");
    CompletableFuture<Void> unmapped = CompletableFuture.runAsync(() -> unmap("disk1"));
    Await.until("it writes out", PATIENCE, () -> !fake.flushLimits.isEmpty());
    CompletableFuture<Void> again = CompletableFuture.runAsync(() -> mapAgain("disk1"));
    Await.until("the other command waits", PATIENCE, () -> !notes.isEmpty());
    assertThat(notes).containsExactly("waiting for another command that works on disk1");
    Files.delete(temp.resolve("flush-hangs"));
    unmapped.join();
    again.join();
    assertThat(fake.calls("--connect")).isEqualTo(2);
    mapper.unmap("disk1", false);
  }

  private void mapAgain(String volume) {
    try {
      map(volume);
    } catch (IOException failed) {
      throw new CompletionException(failed);
    }
  }

  @Test
  void aVolumeWithoutADeviceLeavesThoseOfOthersFree() throws Exception {
    MapRequest any = new MapRequest("disk1", null, false, 600, null, CLUSTER, false);
    assertThat(mapper.map(any, Set.of("nbd0", "nbd1"))).isEqualTo(device(2));
    MapRequest next = new MapRequest("disk2", null, false, 600, null, CLUSTER, false);
    assertThatThrownBy(() -> mapper.map(next, Set.of("nbd0", "nbd1")))
        .hasMessageContaining("no device is free")
        .hasMessageContaining("others' by the table");
    mapper.unmap("disk1", false);
  }

  @ParameterizedTest
  @CsvSource({
    "sys/block/loop7/loop/backing_file, block/loop7/loop",
    "sys/kernel/config/target/core/iblock_0/disk/udev_path, target/core/iblock_0/disk",
    "sys/kernel/config/nvmet/subsystems/s/namespaces/1/device_path, subsystems/s/namespaces/1"
  })
  void aDeviceThatTheKernelHasOpenIsInUse(String file, String user) throws Exception {
    map("disk1");
    Files.createDirectories(temp.resolve(file).getParent());
    fake.write(file, device(0) + "\n");
    assertThatThrownBy(() -> mapper.unmap("disk1", false)).hasMessageContaining(user + " has it");
    Files.delete(temp.resolve(file));
    mapper.unmap("disk1", false);
  }

  /** A container has the device under another name. */
  @Test
  void aDeviceIsKnownByItsNumber() throws Exception {
    map("disk1");
    fake.write("sys/block/nbd0/dev", "1:3\n"); // the number of /dev/null
    Path open = Files.createSymbolicLink(temp.resolve("proc/1/fd/3"), Path.of("/dev/null"));
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("process 1 (init) has it open");
    Files.delete(open);
    mapper.unmap("disk1", false);
  }

  /** As udev's does when a device appears. */
  @Test
  void aShortLookAtTheDeviceIsNoUse() throws Exception {
    map("disk1");
    Path open = Files.createSymbolicLink(temp.resolve("proc/1/fd/3"), device(0));
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(
            () -> open.toFile().delete(),
            CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
    mapper.unmap("disk1", false);
    closed.join();
    assertThat(mapper.mapped()).isEmpty();
  }

  @Test
  void aDeviceHasItsSizeAndABridgeKeepsNoDirectoryBusy() throws Exception {
    map("disk1");
    assertThat(temp.resolve("sys/block/nbd0/size")).hasContent("2048");
    assertThat(fake.lines("bridge-dir")).containsExactly("/");
    mapper.unmap("disk1", false);
  }

  /** The kernel drops what asks for a connection while a queue is full. */
  @Test
  void aBridgeThatTakesNoConnectionsIsNotWaitedForLong() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    List<SocketChannel> queue = new ArrayList<>();
    try (ServerSocket deaf = new ServerSocket(0, 1, here)) {
      for (int i = 0; i < 8; i++) {
        SocketChannel channel = SocketChannel.open();
        queue.add(channel);
        channel.configureBlocking(false);
        channel.connect(new InetSocketAddress(here, deaf.getLocalPort()));
      }
      long begin = System.nanoTime();
      assertThat(BridgeAddress.tcp(here.getHostAddress(), deaf.getLocalPort()).complaint("disk1"))
          .contains(new BridgeProbe.Complaint("it does not answer", false));
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    } finally {
      for (SocketChannel channel : queue) {
        channel.close();
      }
    }
  }

  @Test
  void aBridgeIsNotStartedAgainWithoutItsNote() throws Exception {
    map("disk1");
    killBridge("disk1");
    Files.delete(fake.runDir().resolve("disk1.mount"));
    assertThatThrownBy(() -> map("disk1"))
        .hasMessageContaining("there is no " + fake.runDir().resolve("disk1.mount"))
        .hasMessageContaining("'salus unmap disk1 --force'");
    mapper.unmap("disk1", true);
    map("disk1");
    mapper.unmap("disk1", false);
  }

  @Test
  void aClusterIsWaitedForAsLongAsABridge() throws Exception {
    map("disk1");
    map("disk2", List.of("--zookeeper", "z", "-D", "salus.client.request.timeout=7s"), false);
    assertThat(fake.lines("patience"))
        .containsExactly("salus.client.request.timeout=600s", "salus.client.request.timeout=7s");
    mapper.unmap("disk2", false);
    mapper.unmap("disk1", false);
  }

  /** It greets, and has lost its volume. */
  @Test
  void aBridgeThatCannotServeItsVolumeAnyMoreIsShownAndTold() throws Exception {
    map("disk1");
    killBridge("disk1");
    Path socket = Path.of(mapped("disk1").bridge().substring(BridgeAddress.UNIX.length()));
    Files.deleteIfExists(socket);
    Exports lost =
        new Exports() {
          @Override
          public List<String> names() {
            return List.of("disk1");
          }

          @Override
          public Volume find(String name) {
            return null;
          }

          @Override
          public String problem(String name) {
            return "another writer has " + name;
          }
        };
    try (NbdServer server = NbdServer.unix(socket, lost)) {
      assertThat(server).isNotNull();
      assertThat(mapped("disk1").state()).isEqualTo(MappedVolume.FAILED);
      assertThat(mapped("disk1").problem()).isEqualTo("another writer has disk1");
      assertThatThrownBy(() -> mapper.unmap("disk1", false))
          .hasMessageContaining("another writer has disk1");
    }
    mapper.unmap("disk1", true);
  }

  @Test
  void aProgramWithoutADeviceIsEndedBeforeTheNextDeviceIsTried() throws Exception {
    fake.write("hangs-and-taken", "");
    assertThat(map("disk1")).isEqualTo(device(1));
    assertThat(fake.killed).containsExactly(PROGRAM);
    assertThat(temp.resolve("sys/block/nbd0/pid")).as("is somebody else's").hasContent("1");
    mapper.unmap("disk1", false);
  }

  @Test
  void programsRunApartFromTheCaller() throws Exception {
    map("disk1");
    assertThat(fake.attachedApart).isTrue();
    mapper.unmap("disk1", false);
    Path systemd = temp.resolve("systemd");
    Path proc = temp.resolve("proc");
    Path bin = Files.createDirectory(temp.resolve("bin"));
    fake.write("proc/1/comm", "systemd\n");
    assertThat(Machine.apart(systemd, proc, bin.toString())).isEmpty();
    Files.createDirectory(systemd);
    assertThat(Machine.apart(systemd, proc, bin.toString())).isEmpty();
    Files.createFile(
        bin.resolve("systemd-run"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    assertThat(Machine.apart(systemd, proc, "/none:" + bin)).startsWith("systemd-run", "--scope");
    fake.write("proc/1/comm", "sh\n");
    assertThat(Machine.apart(systemd, proc, "/none:" + bin))
        .as("a container that sees its host's directories")
        .isEmpty();
  }

  @Test
  void fileSystemsAreUnmountedTheNewestFirst() throws Exception {
    map("disk1");
    Files.createDirectories(temp.resolve("proc/self"));
    fake.write(
        "proc/self/mountinfo",
        """
        9 1 43:0 / /a\\040b rw - ext4 /dev/nbd0 rw
        8 1 8:1 / / rw - ext4 /dev/sda1 rw
        10 9 43:0 /sub /a\\040b/c rw - ext4 /dev/nbd0 rw
        """);
    mapper.umount("disk1");
    assertThat(fake.lines("calls"))
        .filteredOn(call -> call.startsWith("umount"))
        .containsExactly("umount /a b/c", "umount /a b");
    Files.delete(temp.resolve("proc/self/mountinfo"));
    mapper.unmap("disk1", false);
  }

  @Test
  void aDirectoryThatOthersMayWriteToIsRefused() throws Exception {
    Files.createDirectories(fake.runDir());
    Files.setPosixFilePermissions(fake.runDir(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(() -> map("disk1")).hasMessageContaining("others may write to");
    assertThatThrownBy(mapper::mapped).hasMessageContaining("others may write to");
    Files.setPosixFilePermissions(fake.runDir(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path file = Files.createFile(temp.resolve("file"));
    Mapper wrong = new Mapper(fake.machine(true), file, fake.on(), notes::add);
    assertThatThrownBy(wrong::mapped).hasMessageContaining(file + " is no directory");
  }
}
