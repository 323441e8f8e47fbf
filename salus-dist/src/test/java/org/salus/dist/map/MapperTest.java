package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole life of mappings on a machine in a directory. */
@Timeout(120)
class MapperTest {
  private static final int TIMEOUT = 600;

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
    return new Mapper(fake.machine(isRoot), fake.runDir(), fake.on(), notes::add);
  }

  @AfterEach
  void stopBridges() throws IOException {
    for (MappedVolume m : mapper.mapped()) {
      ProcessHandle.of(m.bridgeProcess()).ifPresent(ProcessHandle::destroy);
    }
  }

  private static MapRequest request(String volume) {
    return new MapRequest(volume, null, false, TIMEOUT, null, List.of("--zookeeper", "zk:1"));
  }

  private static MapRequest request(String volume, String device, BridgeAddress bridge) {
    return new MapRequest(volume, device, false, TIMEOUT, bridge, List.of());
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
    assertThat(ProcessHandle.of(bridge).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(List.of("nbd0", "nbd1", "nbd2")).noneMatch(fake::isAttached);
  }

  @Test
  void aVolumeIsMappedShownAndUnmapped() throws Exception {
    assertThat(mapper.map(request("disk1"))).isEqualTo(device("nbd0"));
    MappedVolume m = only();
    assertThat(m.state()).isEqualTo(MappedVolume.ATTACHED);
    assertThat(m.device()).isEqualTo(device("nbd0").toString());
    assertThat(ProcessHandle.of(m.bridgeProcess())).isPresent();
    assertThat(fake.lines("bridges")).containsExactly("disk1 --zookeeper zk:1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fake.runDir())))
        .isEqualTo("rwx------");
    assertThat(mapper.map(request("disk2"))).isEqualTo(device("nbd1"));
    mapper.unmap("disk2", false);
    mapper.unmap("disk1", false);
    assertThat(notes).isEmpty();
    nothingIsLeft(m.bridgeProcess());
  }

  @Test
  void theCommandLineHasTheBridgeTheVolumeAndTheTimeout() throws Exception {
    mapper.map(new MapRequest("disk1", "nbd2", true, TIMEOUT, null, List.of()));
    assertThat(fake.lines("calls"))
        .containsExactly(
            "--connect="
                + device("nbd2")
                + " --discard=unmap --detect-zeroes=off --read-only --image-opts"
                + " driver=nbd,server.type=unix,server.path="
                + fake.runDir().resolve("disk1.sock")
                + ",export=disk1,reconnect-delay=600");
    mapper.unmap("nbd2", false);
    assertThat(BridgeAddress.unix(Path.of("/a,b")).options())
        .isEqualTo("server.type=unix,server.path=/a,,b");
    assertThat(BridgeAddress.tcp("[::1]", 7).options())
        .isEqualTo("server.type=inet,server.host=::1,server.port=7");
  }

  @Test
  void aMappedVolumeKeepsItsDevice() throws Exception {
    mapper.map(request("disk1"));
    assertThat(mapper.map(request("disk1"))).isEqualTo(device("nbd0"));
    assertThat(notes).containsExactly("disk1 was mapped already");
    assertThat(fake.calls("--connect")).isEqualTo(1);
    assertThat(fake.lines("bridges")).hasSize(1);
    assertThatThrownBy(() -> mapper.map(request("disk1", "nbd1", null)))
        .hasMessageContaining(
            "is mapped to " + device("nbd0") + " already; run 'salus unmap disk1'");
    assertThatThrownBy(
            () -> mapper.map(new MapRequest("disk1", null, true, TIMEOUT, null, List.of())))
        .hasMessageContaining("with reading and writing");
    assertThatThrownBy(() -> mapper.map(new MapRequest("disk1", null, false, 5, null, List.of())))
        .hasMessageContaining("with a timeout of 600 s");
    assertThat(fake.calls("--connect")).isEqualTo(1);
    mapper.unmap("disk1", false);
  }

  @Test
  void aBridgeThatHasEndedIsShownAndStartedAgain() throws Exception {
    mapper.map(request("disk1"));
    long first = only().bridgeProcess();
    ProcessHandle bridge = ProcessHandle.of(first).orElseThrow();
    bridge.destroy();
    bridge.onExit().join();
    assertThat(only().state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
    assertThat(only().bridgeProcess()).isZero();
    assertThatThrownBy(() -> mapper.unmap("disk1", false))
        .hasMessageContaining("does not serve")
        .hasMessageContaining("'salus map disk1' starts it again");
    assertThat(mapper.map(request("disk1"))).isEqualTo(device("nbd0"));
    assertThat(notes).containsExactly("the bridge of disk1 had ended, and serves again");
    assertThat(only().state()).isEqualTo(MappedVolume.ATTACHED);
    assertThat(fake.calls("--connect")).isEqualTo(1);
    mapper.unmap("disk1", false);
    nothingIsLeft(first);
  }

  @Test
  void aDeviceWithoutBridgeIsDetachedByForce() throws Exception {
    mapper.map(request("disk1"));
    ProcessHandle bridge = ProcessHandle.of(only().bridgeProcess()).orElseThrow();
    bridge.destroy();
    bridge.onExit().join();
    mapper.unmap("disk1", true);
    nothingIsLeft(bridge.pid());
  }

  @Test
  void aBridgeThatDoesNotStartLeavesItsLastLinesAndNothingElse() throws Exception {
    fake.write("bridge-fails", "first\nsalus: volume disk1 is mounted by x (--force)\n");
    assertThatThrownBy(() -> mapper.map(request("disk1")))
        .hasMessage(
            "the bridge of disk1 does not start:\n  first\n"
                + "  volume disk1 is mounted by x (--force)");
    assertThat(fake.calls("--connect")).isZero();
    nothingIsLeft(0);
  }

  @Test
  void aDeviceThatCannotBeAttachedLeavesNothing() throws Exception {
    fake.write("attach-fails", "qemu-nbd: no such thing\n");
    assertThatThrownBy(() -> mapper.map(request("disk1")))
        .hasMessage("cannot attach disk1: qemu-nbd: no such thing");
    assertThat(fake.calls("--connect")).isEqualTo(1);
    nothingIsLeft(0);
  }

  @Test
  void aDeviceThatSomebodyTakesMeanwhileIsLeftToThem() throws Exception {
    fake.write("taken-meanwhile", "");
    assertThat(mapper.map(request("disk1"))).isEqualTo(device("nbd1"));
    mapper.unmap("disk1", false);
    assertThat(fake.isAttached("nbd0")).isTrue();
    assertThat(fake.calls("--disconnect")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = FakeMachine.Moment.class,
      names = {"BEFORE_ATTACH", "AFTER_ATTACH"})
  void whatACrashLeavesIsTakenBackByTheNextCommand(FakeMachine.Moment moment) throws Exception {
    fake.crash = moment;
    assertThatThrownBy(() -> mapper.map(request("disk1"))).isInstanceOf(FakeMachine.Crash.class);
    fake.crash = FakeMachine.Moment.NEVER;
    assertThat(only().state()).isEqualTo(MappedVolume.UNFINISHED);
    long bridge = only().bridgeProcess();
    assertThat(ProcessHandle.of(bridge)).isPresent();
    mapper = mapper(true);
    mapper.map(request("disk2"));
    assertThat(notes).containsExactly("mapping disk1 had been broken off; it is taken back");
    assertThat(only().volume()).isEqualTo("disk2");
    assertThat(only().device()).isEqualTo(device("nbd0").toString());
    mapper.unmap("disk2", false);
    nothingIsLeft(bridge);
  }

  @Test
  void unmapTakesBackWhatACrashHasLeft() throws Exception {
    fake.crash = FakeMachine.Moment.AFTER_ATTACH;
    assertThatThrownBy(() -> mapper.map(request("disk1"))).isInstanceOf(FakeMachine.Crash.class);
    fake.crash = FakeMachine.Moment.NEVER;
    long bridge = only().bridgeProcess();
    mapper.unmap("disk1", false);
    nothingIsLeft(bridge);
  }

  @Test
  void anUnmapThatWasBrokenOffIsDoneByTheNext() throws Exception {
    mapper.map(request("disk1"));
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
    mapper.map(request("disk1"));
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
    mapper.map(request("disk1"));
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
    mapper.map(request("disk1"));
    fake.write("sys/block/nbd0/pid", "1\n");
    assertThat(only().state()).isEqualTo(MappedVolume.GONE);
    long bridge = only().bridgeProcess();
    assertThat(mapper.map(request("disk1"))).isEqualTo(device("nbd1"));
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
    assertThatThrownBy(() -> mapper.map(request("disk1", null, bridge)))
        .hasMessageContaining("no bridge serves at unix:" + socket)
        .hasMessageContaining("salus nbd disk1");
    Process server =
        new ProcessBuilder("nbdkit", "-f", "-U", socket.toString(), "memory", "1M").start();
    try {
      while (bridge.complaint().isPresent()) {
        Thread.onSpinWait();
      }
      mapper.map(request("disk1", null, bridge));
      assertThat(only().bridgeProcess()).isZero();
      assertThat(only().state()).isEqualTo(MappedVolume.ATTACHED);
      assertThatThrownBy(() -> mapper.map(request("disk1", null, null)))
          .hasMessageContaining("with the bridge at unix:" + socket);
      assertThat(fake.lines("bridges")).isEmpty();
      Mapper elsewhere =
          new Mapper(fake.machine(true), temp.resolve("run2"), fake.on(), notes::add);
      assertThatThrownBy(() -> elsewhere.map(request("disk1", null, bridge)))
          .hasMessageContaining(device("nbd0") + " has disk1 from unix:");
      mapper.unmap("disk1", false);
      assertThat(server.isAlive()).isTrue();
      assertThat(bridge.complaint()).isEmpty();
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void aMachineThatCannotAttachSaysWhatItNeeds() throws Exception {
    assertThatThrownBy(() -> mapper(false).map(request("disk1"))).hasMessageContaining("use sudo");
    assertThatThrownBy(() -> mapper(false).unmap("disk1", false)).hasMessageContaining("use sudo");
    assertThatThrownBy(() -> mapper.map(request("disk1", "nbd3", null)))
        .hasMessageContaining("the kernel has nbd0 to nbd2");
    for (String name : List.of("nbd0", "nbd1", "nbd2")) {
      fake.write("sys/block/" + name + "/pid", "1\n");
    }
    assertThatThrownBy(() -> mapper.map(request("disk1", "nbd1", null)))
        .hasMessageContaining("is in use; choose another one");
    assertThatThrownBy(() -> mapper.map(request("disk1")))
        .hasMessageContaining("all 3 are attached")
        .hasMessageContaining("nbds_max=6");
    Machine bare =
        new Machine(temp.resolve("none"), temp, temp, true, command -> new Programs.Answer(0, ""));
    assertThatThrownBy(
            () -> new Mapper(bare, fake.runDir(), fake.on(), notes::add).map(request("disk1")))
        .hasMessageContaining("modprobe nbd nbds_max=16")
        .hasMessageContaining("CONFIG_BLK_DEV_NBD")
        .hasMessageContaining("linux-image-amd64");
    Machine poor =
        new Machine(
            temp.resolve("sys"),
            temp,
            temp,
            true,
            command -> new LocalPrograms().run(List.of(temp.resolve("no program").toString())));
    assertThatThrownBy(
            () -> new Mapper(poor, fake.runDir(), fake.on(), notes::add).map(request("disk1")))
        .hasMessageContaining("apt install qemu-utils");
    assertThat(fake.lines("bridges")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"device=nbd0\n", "device=nbd0\nbridge=x\n", ""})
  void aDamagedFileIsNamed(String content) throws Exception {
    Files.createDirectories(fake.runDir());
    Path file = Files.writeString(fake.runDir().resolve("disk1.map"), content);
    assertThatThrownBy(() -> mapper.map(request("disk2")))
        .hasMessageContaining("cannot read " + file)
        .hasMessageContaining("delete it");
    Files.delete(file);
  }

  @Test
  void aFileIsReadAsItWasWritten() throws Exception {
    Mapping m =
        new Mapping(
            "v", "nbd3", BridgeAddress.unix(Path.of("/ a\\b\n\u00e4 #=:")), true, true, 9, false);
    assertThat(Mapping.of("v", m.text())).isEqualTo(m);
    Mapping tcp = new Mapping("v", "nbd3", BridgeAddress.tcp("[::1]", 80), false, false, 1, true);
    assertThat(Mapping.of("v", tcp.text())).isEqualTo(tcp);
  }
}
