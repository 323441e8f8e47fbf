package org.salus.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.faulty.ClusterWait;
import org.salus.benchmarks.figures.network.MachineNetwork;
import org.salus.benchmarks.figures.network.NetworkMaker;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;

/**
 * Runs {@code benchmarks/ec2/salus-ec2} on network namespaces as hosts, each with an sshd and a
 * directory of its own. Needs root, iproute2, ssh and sshd (Debian: openssh-server). Without one of
 * them it fails and names what is missing.
 */
@Tag("cluster")
class Ec2ScriptsTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("basedir", "."))
          .resolveSibling("ec2/salus-ec2")
          .toAbsolutePath()
          .normalize();
  private static final int AMPLE_MEGABITS = 10_000;
  private static final String SSH_OPTIONS =
      "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR";

  /** Processes here live for a minute: an optimizing compiler would cost more than it saves. */
  private static final String QUICK_JVM = "-XX:TieredStopAtLevel=1";

  private static final Map<String, String> ADDRESSES =
      new TreeMap<>(
          Map.of(
              "main",
              "198.18.1.1",
              "server0",
              "198.18.1.11",
              "server1",
              "198.18.1.12",
              "server2",
              "198.18.1.13",
              "client",
              "198.18.1.100"));

  @TempDir private Path dir;

  private MachineNetwork network;

  private record Ran(int exit, String out) {}

  /** Runs a command on a host and waits for its end. */
  private Ran run(String host, String... command) throws Exception {
    List<String> all = new ArrayList<>(network.on(host));
    all.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(all).directory(dir.toFile()).redirectErrorStream(true);
    builder.environment().put("SALUS_SSH_OPTIONS", SSH_OPTIONS);
    builder.environment().put("SALUS_JARS", dir.resolve("jars").toString());
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), out);
  }

  /** The script, on the client's host, which reaches all others. */
  private Ran ec2(String command, String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(SCRIPT.toString(), command, "--inventory", dir.resolve("hosts").toString()));
    all.addAll(List.of(arguments));
    return run("client", all.toArray(String[]::new));
  }

  private String succeeds(String command, String... arguments) throws Exception {
    Ran ran = ec2(command, arguments);
    assertThat(ran.exit).as(command + ": " + ran.out).isZero();
    return ran.out;
  }

  private Path home(String host) {
    return dir.resolve("homes").resolve(host);
  }

  private void startSshd(String host, Path key) throws Exception {
    Files.createDirectories(home(host));
    Files.createDirectories(Path.of("/run/sshd")); // sshd wants it for processes without privileges
    Path config = dir.resolve(host + ".sshd");
    Files.write(
        config,
        List.of(
            "ListenAddress " + ADDRESSES.get(host),
            "HostKey " + key,
            "AuthorizedKeysFile " + key + ".pub",
            "PidFile none",
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin yes",
            "PasswordAuthentication no",
            "SetEnv JAVA_TOOL_OPTIONS=" + QUICK_JVM,
            "ForceCommand cd '" + home(host) + "' && sh -c \"$SSH_ORIGINAL_COMMAND\""));
    List<String> command = new ArrayList<>(network.on(host));
    command.addAll(List.of("/usr/sbin/sshd", "-D", "-e", "-f", config.toString()));
    new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(dir.resolve(host + ".sshd.log").toFile())
        .start();
    String[] knock =
        ("ssh "
                + SSH_OPTIONS
                + " -o BatchMode=yes -i "
                + key
                + " root@"
                + ADDRESSES.get(host)
                + " pwd")
            .split(" ");
    assertThat(
            ClusterWait.until(
                Duration.ofSeconds(30), () -> asked(knock).contains(home(host).toString())))
        .as("sshd of " + host + " lets us in")
        .isTrue();
  }

  private String asked(String... command) {
    try {
      return run("client", command).out;
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static void requireTools() {
    assertThat(Path.of("/usr/sbin/sshd"))
        .as("sshd; install it (Debian: apt install openssh-server)")
        .isExecutable();
  }

  /**
   * Packs the classes of this test run into jars, because a build would change what other tests
   * use.
   */
  private void jars() throws IOException {
    Path jars = Files.createDirectories(dir.resolve("jars"));
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(":")) {
      Path from = Path.of(entry);
      Path to =
          jars.resolve(number++ + "-" + from.getFileName().toString().replace(".jar", "") + ".jar");
      if (Files.isRegularFile(from)) {
        Files.copy(from, to);
      } else if (Files.isDirectory(from) && !from.endsWith("test-classes")) {
        pack(from, to);
      }
    }
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(f -> !f.equals(classes)).toList()) {
        boolean leaf = Files.isRegularFile(file);
        out.putNextEntry(
            new ZipEntry(
                classes.relativize(file) + (leaf ? "" : "/"))); // HDFS looks for a directory
        if (leaf) {
          Files.copy(file, out);
        }
      }
    }
  }

  @Test
  @Timeout(900)
  void aClusterIsInstalledMeasuredAndRemoved() throws Exception {
    requireTools();
    jars();
    Path key = dir.resolve("key");
    assertThat(
            new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString())
                .start()
                .waitFor())
        .isZero();
    Files.write(
        dir.resolve("hosts"),
        List.of(
            "main " + ADDRESSES.get("main"),
            "server " + ADDRESSES.get("server0"),
            "server " + ADDRESSES.get("server1"),
            "server " + ADDRESSES.get("server2") + "  # the last",
            "",
            "client " + ADDRESSES.get("client"),
            "user root",
            "key " + key,
            "heap 512m"));
    Map<String, LinkedMachine> all = new TreeMap<>();
    ADDRESSES.forEach((host, address) -> all.put(host, new LinkedMachine(address, AMPLE_MEGABITS)));
    try (NetworkMaker hosts = new NetworkMaker(AMPLE_MEGABITS, all)) {
      network = hosts.make();
      for (String host : ADDRESSES.keySet()) {
        startSshd(host, key);
      }
      succeeds("install");
      succeeds("start");
      assertThat(succeeds("status").lines()).hasSize(9).allMatch(line -> line.contains("runs ("));
      assertThat(ec2("install").out)
          .contains("servers run on " + ADDRESSES.get("main"))
          .contains("'stop' first");
      assertThat(succeeds("start"))
          .as("nothing is started twice")
          .contains("starting regionserver");
      assertThat(succeeds("run", "fig9", "--quick", "--seed", "7"))
          .contains("random write: p90", "salus-ec2: results are on");
      succeeds("collect", dir.resolve("found").toString());
      try (Stream<Path> found = Files.list(dir.resolve("found"))) {
        assertThat(found.map(f -> f.getFileName().toString().replaceAll("^fig9-[0-9-]+", "fig9")))
            .containsExactlyInAnyOrder("fig9.txt", "fig9.csv", "fig9.png", "fig9.svg", "logs");
      }
      assertThat(dir.resolve("found/logs/" + ADDRESSES.get("server1") + "/regionserver.log"))
          .isNotEmptyFile();
      succeeds("stop");
      assertThat(succeeds("status").lines())
          .hasSize(9)
          .allMatch(line -> line.endsWith("does not run"));
      succeeds("remove");
      for (String host : ADDRESSES.keySet()) {
        assertThat(home(host).resolve("salus")).doesNotExist();
        assertThat(home(host).resolve("salus-data")).doesNotExist();
      }
    }
  }

  @Test
  void badInputSaysWhatIsWrongAndWhatToDo() throws Exception {
    try (NetworkMaker hosts =
        new NetworkMaker(
            AMPLE_MEGABITS,
            Map.of("client", new LinkedMachine(ADDRESSES.get("client"), AMPLE_MEGABITS)))) {
      network = hosts.make();
      assertThat(ec2("start").out).contains("cannot read").contains("inventory.example");
      Files.write(dir.resolve("hosts"), List.of("main a", "server b", "server c", "client d"));
      assertThat(ec2("start").out).contains("names 2 servers").contains("three at least");
      Files.write(dir.resolve("hosts"), List.of("main a", "sever b"));
      assertThat(ec2("start").out).contains("line 2").contains("'sever' is none of");
      Files.write(dir.resolve("hosts"), List.of("main a", "server b c"));
      assertThat(ec2("start").out).contains("line 2").contains("WHAT VALUE");
      Files.write(
          dir.resolve("hosts"), List.of("main a", "server b", "server c", "server d", "client e"));
      assertThat(ec2("run", "fig12").out).contains("run one of fig8");
      assertThat(ec2("begin").exit).isNotZero();
      assertThat(ec2("begin").out).contains("'begin' is no command").contains("install");
    }
  }
}
