package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.OpenOptions;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * Mappings with bridges of a real cluster. A device of a real kernel, in a virtual machine without
 * KVM: the command line of {@code salus map} attaches it to a bridge of this machine. The bridge is
 * killed and started again while files are written.
 */
@Timeout(1800)
@Tag("cluster")
@Tag("slow")
class MapKernelTest {
  private static final Pattern WROTE = Pattern.compile("salus: wrote (\\d+)");
  private static final String WORDS = "salus: words ";
  private static final int FILES_BETWEEN_KILLS = 8;
  private static final int FILES = 24;
  private static final int TIMEOUT = 600;

  private static final String SCRIPT =
      Path.of(System.getProperty("basedir", "."))
          .resolve("src/test/vm/initramfs.sh")
          .toAbsolutePath()
          .toString();

  private static final Path DEVICE = Path.of("/dev/nbd0");

  /** This machine, as QEMU shows it to the virtual one. */
  private static final String HOST = "10.0.2.2";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  static Path dir;

  private static LocalCluster cluster;

  private final List<String> console = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    cluster = new LocalCluster(dir.resolve("cluster"));
    cluster.start(3, Map.of(), step -> {});
    try (SalusClient client =
        SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", 128L << 20, SalusClient.CreateOptions.DEFAULT);
      client.create("disk1", 16L << 20, SalusClient.CreateOptions.DEFAULT);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.kill();
  }

  @Test
  void aFileSystemGoesOnWhileTheBridgeIsRestarted() throws Exception {
    int port = freePort();
    Mapping mapping =
        new Mapping(
            "disk", "nbd0", BridgeAddress.tcp(HOST, port), false, false, TIMEOUT, List.of(), false);
    List<String> make = new ArrayList<>(List.of("bash", SCRIPT, dir.toString()));
    make.addAll(mapping.attach(DEVICE, Path.of("/run/nbd0.qemu")));
    run(make);
    List<String> asMapStartsIt =
        List.of("disk", "--one-client", "--last-mount", dir.resolve("disk.mount").toString());
    DaemonProcess bridge = cluster.nbd(asMapStartsIt, "127.0.0.1:" + port);
    bridge.start();
    try {
      bridge.awaitReady();
      assertThat(boot(bridge))
          .as(String.join("\n", console))
          .isEqualTo(FILES / FILES_BETWEEN_KILLS - 1);
      assertThat(console).contains("salus: verified");
      assertThat(mapping.isAttachedBy(words(), DEVICE)).as("its owner is known").isTrue();
      assertThat(console).noneMatch(l -> l.matches(".*(I/O error|EXT4-fs error|Remounting).*"));
      Path copy = dir.resolve("copy");
      run(List.of("nbdcopy", "nbd://127.0.0.1:" + port + "/disk", copy.toString()));
      run(List.of("e2fsck", "-fn", copy.toString()));
    } finally {
      bridge.kill();
    }
  }

  /** Only the kernel is a fake here. */
  @Test
  void aBridgeOfTheClusterIsStartedAndStoppedByMappings() throws Exception {
    FakeMachine fake = new FakeMachine(Files.createDirectories(dir.resolve("fake")));
    List<String> notes = new ArrayList<>();
    Mapper mapper = new Mapper(fake.machine(true), fake.runDir(), List.of("setsid"), notes::add);
    assertThatThrownBy(() -> mapper.map(request("none", cluster.zookeeper()), Set.of()))
        .hasMessageStartingWith("the bridge of none does not start:\n")
        .hasMessageContaining("there is no volume none");
    assertThatThrownBy(() -> mapper.map(request("disk1", "127.0.0.1:1"), Set.of()))
        .hasMessageContaining("127.0.0.1:1");
    assertThat(fake.leftovers()).isEmpty();
    mapper.map(request("disk1", cluster.zookeeper()), Set.of());
    try {
      Mapper elsewhere =
          new Mapper(fake.machine(true), dir.resolve("run2"), List.of("setsid"), notes::add);
      assertThatThrownBy(() -> elsewhere.map(request("disk1", cluster.zookeeper()), Set.of()))
          .hasMessageContaining("is mounted by")
          .hasMessageContaining("--force");
      MappedVolume first = mapper.mapped().get(0);
      assertThat(first.state()).isEqualTo(MappedVolume.ATTACHED);
      for (boolean isKilled : List.of(true, false)) {
        end(mapper.mapped().get(0), isKilled);
        assertThat(mapper.mapped().get(0).state()).isEqualTo(MappedVolume.BRIDGE_DOWN);
        mapper.map(request("disk1", cluster.zookeeper()), Set.of());
      }
      assertThat(notes)
          .hasSize(2)
          .allMatch("the bridge of disk1 had ended, and serves again"::equals);
      String uri =
          "nbd+unix:///disk1?socket=" + first.bridge().substring(BridgeAddress.UNIX.length());
      run(List.of("qemu-io", "-f", "raw", "-c", "write -P 7 0 64k", "-c", "flush", uri));
      run(List.of("qemu-io", "-f", "raw", "-c", "read -P 7 0 64k", uri));
      end(mapper.mapped().get(0), true);
      refusedAfterOthers(mapper);
    } finally {
      mapper.unmap("disk1", true);
    }
    assertThat(mapper.mapped()).isEmpty();
    assertThat(fake.leftovers()).isEmpty();
    try (SalusClient client =
        SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      assertThat(client.info("disk1").writer()).as("the bridge gave its claim back").isNull();
    }
  }

  private static void end(MappedVolume m, boolean isKilled) {
    ProcessHandle bridge = ProcessHandle.of(m.bridgeProcess()).orElseThrow();
    if (isKilled) {
      bridge.destroyForcibly();
    } else {
      bridge.destroy();
    }
    bridge.onExit().join();
  }

  /** The kernel may hold writes for the volume as it was. */
  private static void refusedAfterOthers(Mapper mapper) throws IOException {
    try (SalusClient client =
        SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      OpenOptions patient = OpenOptions.DEFAULT.withPatience(Duration.ofSeconds(60));
      try (Volume other = client.open("disk1", patient)) {
        other.write(0, ByteBuffer.wrap(new byte[] {1})).join();
      }
      long mount = client.info("disk1").confirmed().at().toEpochMilli();
      assertThatThrownBy(() -> mapper.map(request("disk1", cluster.zookeeper()), Set.of()))
          .hasMessageContaining("was mounted by another writer")
          .hasMessageContaining("salus unmap disk1 --force");
      assertThat(client.info("disk1").confirmed().at().toEpochMilli()).isEqualTo(mount);
      client.delete("disk1", false);
      client.create("disk1", 16L << 20, SalusClient.CreateOptions.DEFAULT);
      assertThatThrownBy(() -> mapper.map(request("disk1", cluster.zookeeper()), Set.of()))
          .hasMessageContaining("another one of its name was made");
    }
  }

  private static MapRequest request(String volume, String zookeeper) {
    return new MapRequest(
        volume,
        null,
        false,
        TIMEOUT,
        null,
        List.of("--zookeeper", zookeeper, "-D", "salus.client.connect.timeout=3s"),
        false);
  }

  /** Runs the machine to its end, and returns how often the bridge was killed. */
  private int boot(DaemonProcess bridge) throws Exception {
    int kills = 0;
    Process machine =
        new ProcessBuilder(
                "qemu-system-x86_64",
                "-accel",
                "tcg",
                "-m",
                "512",
                "-nographic",
                "-no-reboot",
                "-nic",
                "user,model=virtio-net-pci",
                "-kernel",
                dir.resolve("vmlinuz").toString(),
                "-initrd",
                dir.resolve("initramfs").toString(),
                "-append",
                "console=ttyS0 panic=-1 loglevel=5")
            .redirectErrorStream(true)
            .start();
    try {
      machine.getOutputStream().close();
      for (String line = machine.inputReader().readLine();
          line != null;
          line = machine.inputReader().readLine()) {
        System.out.println("machine: " + line);
        console.add(line.strip());
        Matcher wrote = WROTE.matcher(line);
        if (wrote.find()
            && Integer.parseInt(wrote.group(1)) % FILES_BETWEEN_KILLS == 0
            && Integer.parseInt(wrote.group(1)) < FILES) {
          ProcessHandle process = bridge.running();
          process.destroyForcibly();
          process.onExit().join();
          bridge.start();
          bridge.awaitReady();
          kills++;
        }
      }
      return kills;
    } finally {
      machine.destroyForcibly();
    }
  }

  /** The command line of the thread that the kernel names as the owner of the device. */
  private List<String> words() {
    return console.stream()
        .filter(l -> l.startsWith(WORDS))
        .map(l -> List.of(l.substring(WORDS.length()).split("\t")))
        .findFirst()
        .orElse(List.of());
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  private static void run(List<String> command) throws IOException {
    Programs.Answer answer = new LocalPrograms().run(command);
    assertThat(answer.code()).as(answer.output()).isZero();
  }
}
