package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole life of mappings on a machine in a directory. */
@Timeout(120)
class MapperTest {
  private static final int TIMEOUT = 600;
  private static final List<String> CLUSTER = List.of("--zookeeper", "zk:1");

  @TempDir Path temp;

  private final List<String> notes = new ArrayList<>();
  private FakeMachine fake;
  private Mapper mapper;

  @BeforeEach
  void make() throws IOException {
    fake = new FakeMachine(temp);
    mapper = mapper(true);
  }

  private Mapper mapper(boolean isRoot) {
    return fake.mapper(isRoot, notes::add);
  }

  @AfterEach
  void stopBridges() throws IOException {
    FakeMachine.endBridges(mapper);
  }

  private static MapRequest request(String volume) {
    return request(volume, null, null);
  }

  private static MapRequest request(String volume, String device, BridgeAddress bridge) {
    return request(volume, device, bridge, CLUSTER);
  }

  private static MapRequest request(
      String volume, String device, BridgeAddress bridge, List<String> cluster) {
    return new MapRequest(
        volume, device, false, TIMEOUT, bridge, bridge == null ? cluster : List.of(), false);
  }

  private Path map(MapRequest request) throws IOException {
    return mapper.map(request, Set.of());
  }

  private void map(String volume) throws IOException {
    map(request(volume));
  }

  private Path device(String name) {
    return fake.root.resolve("dev").resolve(name);
  }

  private MappedVolume only() throws IOException {
    List<MappedVolume> all = mapper.mapped();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private void nothingIsLeft(long bridge) throws IOException {
    assertThat(mapper.mapped()).isEmpty();
    assertThat(fake.leftovers()).isEmpty();
    ProcessHandle.of(bridge).ifPresent(p -> p.onExit().join()); // it has ended, at most unreaped
    assertThat(List.of("nbd0", "nbd1", "nbd2")).noneMatch(fake::isAttached);
    assertThat(temp.resolve("proc")).isDirectoryNotContaining("glob:**/4242*");
  }

  @Test
  void aVolumeIsMappedShownAndUnmapped() throws Exception {
    assertThat(map(request("disk1"))).isEqualTo(device("nbd0"));
    MappedVolume m = only();
    assertThat(m.state()).isEqualTo(MappedVolume.ATTACHED);
    assertThat(m.device()).isEqualTo(device("nbd0").toString());
    assertThat(ProcessHandle.of(m.bridgeProcess())).isPresent();
    assertThat(fake.lines("bridges")).containsExactly("disk1 --zookeeper zk:1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fake.runDir())))
        .isEqualTo("rwx------");
    assertThat(map(request("disk2"))).isEqualTo(device("nbd1"));
    mapper.unmap("disk2", false);
    mapper.unmap("disk1", false);
    assertThat(notes).isEmpty();
    nothingIsLeft(m.bridgeProcess());
  }

  @Test
  void theCommandLineHasTheBridgeTheVolumeAndTheTimeout() throws Exception {
    map(new MapRequest("disk1", "nbd2", true, TIMEOUT, null, CLUSTER, true));
    assertThat(fake.lines("calls"))
        .containsExactly(
            "--connect="
                + device("nbd2")
                + " --socket="
                + fake.runDir().resolve("nbd2.qemu")
                + " --discard=unmap --detect-zeroes=off --read-only --image-opts"
                + " driver=nbd,server.type=unix,server.path="
                + only().bridge().substring(BridgeAddress.UNIX.length())
                + ",export=disk1,reconnect-delay=600");
    assertThat(fake.lines("bridges")).containsExactly("disk1 --zookeeper zk:1 --force");
    mapper.unmap(device("nbd2").toString(), false);
    assertThat(BridgeAddress.unix(Path.of("/a,b")).options())
        .isEqualTo("server.type=unix,server.path=/a,,b");
    assertThat(BridgeAddress.tcp("[::1]", 7).options())
        .isEqualTo("server.type=inet,server.host=::1,server.port=7,server.keep-alive=on");
  }

  @Test
  void aMappedVolumeKeepsItsDevice() throws Exception {
    map(request("disk1"));
    assertThat(map(request("disk1"))).isEqualTo(device("nbd0"));
    assertThat(notes).isEmpty();
    assertThat(fake.calls("--connect")).isEqualTo(1);
    assertThat(fake.lines("bridges")).hasSize(1);
    assertThatThrownBy(() -> map(request("disk1", "nbd1", null)))
        .hasMessageContaining(
            "is mapped to " + device("nbd0") + " already; run 'salus unmap disk1'");
    assertThatThrownBy(
            () -> map(new MapRequest("disk1", null, true, TIMEOUT, null, CLUSTER, false)))
        .hasMessageContaining("with reading and writing");
    assertThatThrownBy(() -> map(new MapRequest("disk1", null, false, 5, null, CLUSTER, false)))
        .hasMessageContaining("with a timeout of 600 s");
    assertThat(fake.calls("--connect")).isEqualTo(1);
    mapper.unmap("disk1", false);
  }

  @Test
  void aBridgeThatHasEndedIsShownAndStartedAgain() throws Exception {
    map(request("disk1"));
    long first = only().bridgeProcess();
    ProcessHandle bridge = ProcessHandle.of(first).orElseThrow();
    bridge.destroy();
    bridge.onExit().join();
    assertThat(only().state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
    assertThat(only().bridgeProcess()).isZero();
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("does not serve")
        .hasMessageContaining("'salus map disk1' with its options starts it again");
    assertThat(map(request("disk1"))).isEqualTo(device("nbd0"));
    assertThat(notes).containsExactly("the bridge of disk1 had ended, and serves again");
    assertThat(only().state()).isEqualTo(MappedVolume.ATTACHED);
    assertThat(fake.calls("--connect")).isEqualTo(1);
    mapper.unmap("disk1", false);
    nothingIsLeft(first);
  }

  @Test
  void aDeviceWithoutBridgeIsDetachedByForce() throws Exception {
    map(request("disk1"));
    ProcessHandle bridge = ProcessHandle.of(only().bridgeProcess()).orElseThrow();
    bridge.destroy();
    bridge.onExit().join();
    mapper.unmap("disk1", true);
    nothingIsLeft(bridge.pid());
  }

  @Test
  void aBridgeThatDoesNotStartLeavesItsLastLinesAndNothingElse() throws Exception {
    fake.write("bridge-fails", "first\nsalus: volume disk1 is mounted by x (--force)\n");
    assertThatThrownBy(() -> map(request("disk1")))
        .hasMessage(
            "the bridge of disk1 does not start:\n  first\n"
                + "  volume disk1 is mounted by x (--force)");
    assertThat(fake.calls("--connect")).isZero();
    nothingIsLeft(0);
  }

  @Test
  void aDeviceThatCannotBeAttachedLeavesNothing() throws Exception {
    fake.write("attach-fails", "qemu-nbd: no such thing\n");
    assertThatThrownBy(() -> map(request("disk1")))
        .hasMessage("cannot attach disk1: qemu-nbd: no such thing");
    assertThat(fake.calls("--connect")).isEqualTo(1);
    nothingIsLeft(0);
  }

  @Test
  void aDeviceThatSomebodyTakesMeanwhileIsLeftToThem() throws Exception {
    fake.write("taken-meanwhile", "");
    assertThat(map(request("disk1"))).isEqualTo(device("nbd1"));
    mapper.unmap("disk1", false);
    assertThat(fake.isAttached("nbd0")).isTrue();
    assertThat(fake.calls("--disconnect")).isEqualTo(1);
  }

  private void crash(FakeMachine.Moment moment) {
    fake.crash = moment;
    assertThatThrownBy(() -> map("disk1")).isInstanceOf(FakeMachine.Crash.class);
    fake.crash = FakeMachine.Moment.NEVER;
  }

  /** The pid of the bridge may not have been written down either. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatACrashLeavesIsTakenBackByTheNextCommand(boolean pidFile) throws Exception {
    crash(FakeMachine.Moment.BEFORE_ATTACH);
    if (!pidFile) {
      Files.delete(fake.runDir().resolve("run/disk1.pid"));
    }
    assertThat(only().state()).isEqualTo(MappedVolume.UNFINISHED);
    long bridge = only().bridgeProcess();
    assertThat(ProcessHandle.of(bridge)).isPresent();
    mapper = mapper(true);
    map("disk2");
    assertThat(notes).containsExactly("mapping disk1 had been broken off; it is taken back");
    assertThat(only().volume()).isEqualTo("disk2");
    assertThat(only().device()).isEqualTo(device("nbd0").toString());
    mapper.unmap("disk2", false);
    nothingIsLeft(bridge);
  }

  /** Somebody may have mounted it since. */
  @Test
  void aDeviceThatACrashHasLeftAttachedStays() throws Exception {
    crash(FakeMachine.Moment.AFTER_ATTACH);
    long bridge = only().bridgeProcess();
    fake.write("proc/1/mountinfo", "9 1 43:0 / /home/me rw - ext4 /dev/x rw\n");
    map("disk2");
    assertThat(notes).singleElement().asString().contains("disk1 had been broken off", "it stays");
    assertThat(mapper.mapped())
        .extracting(MappedVolume::state)
        .containsExactly(MappedVolume.ATTACHED, MappedVolume.ATTACHED);
    assertThat(fake.calls("--disconnect")).isZero();
    assertThatThrownBy(() -> mapper.unmap("disk1", false)).hasMessageContaining("/home/me");
    fake.write("proc/1/mountinfo", "");
    mapper.unmap("disk1", false);
    mapper.unmap("disk2", false);
    nothingIsLeft(bridge);
  }

  @Test
  void unmapTakesBackWhatACrashHasLeft() throws Exception {
    crash(FakeMachine.Moment.BEFORE_ATTACH);
    long bridge = only().bridgeProcess();
    mapper.unmap("disk1", false);
    nothingIsLeft(bridge);
  }

  /** The program was given up, and would attach the device later. */
  @Test
  void aProgramThatAttachesTooLateIsEnded() throws Exception {
    fake.write("attach-hangs", "");
    assertThatThrownBy(() -> map("disk1")).hasMessageContaining("cannot attach disk1");
    assertThat(fake.killed).containsExactly(42420L);
    nothingIsLeft(0);
  }

  @Test
  void anUnmapThatWasBrokenOffIsDoneByTheNext() throws Exception {
    map(request("disk1"));
    long bridge = only().bridgeProcess();
    fake.crash = FakeMachine.Moment.AFTER_DETACH;
    assertThatThrownBy(() -> mapper.unmap("disk1", false)).isInstanceOf(FakeMachine.Crash.class);
    fake.crash = FakeMachine.Moment.NEVER;
    assertThat(only().state()).isEqualTo(MappedVolume.GONE);
    mapper.unmap("disk1", false);
    nothingIsLeft(bridge);
  }

  @ParameterizedTest
  @CsvSource({
    "proc/1/mountinfo, '9 1 43:0 / /home/me rw - ext4 /dev/x rw', is mounted at /home/me",
    "proc/1/mountinfo, '9 1 0:42 / /b rw shared:1 - btrfs ROOT/dev/nbd0p1 rw', is mounted at /b",
    "proc/swaps, ROOT/dev/nbd0 partition, is swap space",
    "sys/block/nbd0/holders/dm-0, x, dm-0 is on top of it",
    "sys/block/nbd0/nbd0p1/holders/dm-1, x, dm-1 is on top of it"
  })
  void aDeviceInUseIsKept(String file, String content, String why) throws Exception {
    Files.createDirectories(temp.resolve("sys/block/nbd0/nbd0p1/holders"));
    fake.write("sys/block/nbd0/nbd0p1/dev", "43:1\n");
    Files.createDirectories(temp.resolve("sys/block/nbd0/holders"));
    map(request("disk1"));
    fake.write(file, content.replace("ROOT", temp.toString()) + "\n");
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining(device("nbd0") + " is in use: ")
        .hasMessageContaining(why);
    assertThat(only().state()).isEqualTo(MappedVolume.ATTACHED);
    mapper.unmap("disk1", true);
    assertThat(mapper.mapped()).isEmpty();
  }

  @Test
  void aDeviceThatAProcessHasOpenIsKept() throws Exception {
    map(request("disk1"));
    Path open = Files.createSymbolicLink(temp.resolve("proc/1/fd/3"), device("nbd0"));
    assertThatThrownBy(() -> mapper.unmap("/dev/nbd7", false)).hasMessageContaining("not mapped");
    assertThatThrownBy(() -> mapper.unmap(device("nbd0").toString(), false))
        .hasMessageContaining("process 1 (init) has it open");
    Files.delete(open);
    mapper.unmap(device("nbd0").toString(), false);
    assertThat(mapper.mapped()).isEmpty();
  }

  /** It was detached, and attached anew for something else. */
  @Test
  void aDeviceThatIsSomebodyElsesNowIsNotTouched() throws Exception {
    map(request("disk1"));
    fake.end(42420);
    fake.write("sys/block/nbd0/pid", "1\n");
    assertThat(only().state()).isEqualTo(MappedVolume.GONE);
    long bridge = only().bridgeProcess();
    assertThat(map(request("disk1"))).isEqualTo(device("nbd1"));
    assertThat(notes).singleElement().asString().contains("nbd0 of disk1 had been detached");
    assertThat(ProcessHandle.of(bridge).filter(ProcessHandle::isAlive)).isEmpty();
    mapper.unmap("disk1", false);
    assertThat(fake.calls("--disconnect " + device("nbd0"))).isZero();
    assertThat(fake.isAttached("nbd0")).isTrue();
  }

  @Test
  void aBridgeOfSomebodyElseIsUsedAndLeftRunning() throws Exception {
    Path socket = temp.resolve("other.sock");
    BridgeAddress bridge = BridgeAddress.unix(socket);
    assertThatThrownBy(() -> map(request("disk1", null, bridge)))
        .hasMessageContaining("no bridge serves disk1 at unix:" + socket)
        .hasMessageContaining("salus nbd disk1");
    Process server =
        new ProcessBuilder("nbdkit", "-f", "-U", socket.toString(), "memory", "1M").start();
    try {
      while (bridge.complaint("disk1").isPresent()) {
        Thread.onSpinWait();
      }
      map(request("disk1", null, bridge));
      assertThat(only().bridgeProcess()).isZero();
      assertThat(only().state()).isEqualTo(MappedVolume.ATTACHED);
      assertThatThrownBy(() -> map(request("disk1", null, null)))
          .hasMessageContaining("with the bridge at unix:" + socket);
      assertThat(fake.lines("bridges")).isEmpty();
      Mapper elsewhere =
          new Mapper(fake.machine(true), temp.resolve("run2"), fake.on(), notes::add);
      assertThatThrownBy(() -> elsewhere.map(request("disk1", null, bridge), Set.of()))
          .hasMessageContaining("process 42420 has disk1 from unix:");
      mapper.unmap("disk1", false);
      assertThat(server.isAlive()).isTrue();
      assertThat(bridge.complaint("disk1")).isEmpty();
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void aMachineThatCannotAttachSaysWhatItNeeds() throws Exception {
    assertThatThrownBy(() -> mapper(false).map(request("disk1"), Set.of()))
        .hasMessageContaining("use sudo");
    assertThatThrownBy(() -> mapper(false).unmap("disk1", false)).hasMessageContaining("use sudo");
    assertThatThrownBy(() -> map(request("disk1", "nbd3", null)))
        .hasMessageContaining("the kernel has nbd0 to nbd2");
    for (String name : List.of("nbd0", "nbd1", "nbd2")) {
      fake.write("sys/block/" + name + "/pid", "1\n");
    }
    assertThatThrownBy(() -> map(request("disk1", "nbd1", null)))
        .hasMessageContaining("is in use; choose another one");
    assertThatThrownBy(() -> map(request("disk1")))
        .hasMessageContaining("all 3 are attached")
        .hasMessageContaining("nbds_max=6");
    Machine bare =
        new Machine(
            temp.resolve("none"),
            temp,
            temp,
            true,
            (command, atMost) -> {
              if (command.get(0).equals("modprobe")) {
                throw new IOException("no such program");
              }
              return new Programs.Answer(0, "");
            },
            List.of());
    assertThatThrownBy(
            () ->
                new Mapper(bare, fake.runDir(), fake.on(), notes::add)
                    .map(request("disk1"), Set.of()))
        .hasMessageContaining("modprobe nbd nbds_max=16")
        .hasMessageContaining("CONFIG_BLK_DEV_NBD")
        .hasMessageContaining("linux-image-amd64");
    Machine poor =
        new Machine(
            temp.resolve("sys"),
            temp,
            temp,
            true,
            (command, atMost) ->
                new LocalPrograms().run(List.of(temp.resolve("no program").toString())),
            List.of());
    assertThatThrownBy(
            () ->
                new Mapper(poor, fake.runDir(), fake.on(), notes::add)
                    .map(request("disk1"), Set.of()))
        .hasMessageContaining("apt install qemu-utils");
    assertThat(fake.lines("bridges")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"device=nbd0\n", "device=nbd0\nbridge=x\n", ""})
  void aDamagedFileIsNamedAndStopsNoOtherVolume(String content) throws Exception {
    Files.createDirectories(
        fake.runDir(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path file = Files.writeString(fake.runDir().resolve("disk1.map"), content);
    assertThatThrownBy(() -> map("disk1"))
        .hasMessageContaining("cannot read " + file)
        .hasMessageContaining("delete it");
    assertThatThrownBy(() -> mapper.unmap("disk1", true)).hasMessageContaining("delete it");
    map("disk2");
    assertThat(notes).allMatch(n -> n.contains("cannot read " + file)).isNotEmpty();
    assertThat(mapper.mapped())
        .extracting(MappedVolume::state)
        .containsExactly(MappedVolume.DAMAGED, MappedVolume.ATTACHED);
    mapper.unmap("disk2", false);
    Files.delete(file);
  }

  @Test
  void aFileIsReadAsItWasWritten() throws Exception {
    Mapping m =
        new Mapping(
            "v",
            "nbd3",
            BridgeAddress.unix(Path.of("/ a\\b\n\u00e4 #=:")),
            true,
            true,
            9,
            List.of("--conf", " /a b ", "", "\t=\\"),
            false);
    assertThat(Mapping.of("v", m.text())).isEqualTo(m);
    Mapping tcp =
        new Mapping("v", "nbd3", BridgeAddress.tcp("[::1]", 80), false, false, 1, List.of(), true);
    assertThat(Mapping.of("v", tcp.text())).isEqualTo(tcp);
  }
}
