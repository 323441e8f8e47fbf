package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks what a user gets who unpacks the tarball, in an empty directory with an empty environment.
 * When the tests run as root, this is another user than the builder.
 */
@Tag("cluster")
class TarballIT {
  private static final Path TARGET =
      Path.of(System.getProperty("basedir", ".")).resolve("target").toAbsolutePath();
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final String OTHER = "nobody";
  private static final long MINUTES = 6;

  /** A directory that is no TempDir, since only the owner may look below one. */
  private Path dir;

  private Path home;
  private Process standalone;

  @BeforeEach
  void unpack() throws Exception {
    dir = Files.createTempDirectory("salus-tarball");
    if (ROOT) {
      Shell.run("chown", OTHER, dir.toString());
    }
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    // The other user may be unable to read the tarball where it is.
    Path copy = Files.copy(tarball(), dir.resolve("salus.tar.gz"));
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
    succeed("tar", "-xzf", copy.toString());
    Files.delete(copy);
    try (Stream<Path> top = Files.list(dir)) {
      home = top.toList().get(0);
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (standalone != null) {
      standalone.destroy();
      if (!standalone.waitFor(MINUTES, TimeUnit.MINUTES)) {
        standalone.destroyForcibly().waitFor();
      }
    }
    Shell.run("rm", "-rf", dir.toString());
  }

  private static Path tarball() throws IOException {
    try (Stream<Path> files = Files.list(TARGET)) {
      return files
          .filter(f -> f.getFileName().toString().matches("salus-.*-bin\\.tar\\.gz"))
          .findFirst()
          .orElseThrow(() -> new IOException("there is no tarball in " + TARGET));
    }
  }

  /** Runs a command as the other user, in the directory, with PATH as the only variable. */
  private List<String> command(String... command) {
    List<String> all = new ArrayList<>();
    if (ROOT) {
      all.addAll(List.of("setpriv", "--reuid", OTHER, "--clear-groups", "--reset-env"));
    }
    all.addAll(List.of("env", "-i", "-C", dir.toString(), "PATH=" + System.getenv("PATH")));
    all.addAll(List.of(command));
    return all;
  }

  private Shell.Result run(String... command) throws IOException, InterruptedException {
    Process p = new ProcessBuilder(command(command)).redirectErrorStream(true).start();
    p.getOutputStream().close();
    String output = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!p.waitFor(MINUTES, TimeUnit.MINUTES)) {
      p.destroyForcibly();
      throw new IOException(String.join(" ", command) + " does not end");
    }
    return new Shell.Result(p.exitValue(), output);
  }

  private String succeed(String... command) throws IOException, InterruptedException {
    Shell.Result result = run(command);
    assertThat(result.code()).as(String.join(" ", command) + ": " + result.output()).isZero();
    return result.output();
  }

  private String salus(String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(home + "/bin/salus"));
    all.addAll(List.of(arguments));
    return succeed(all.toArray(String[]::new));
  }

  @Test
  @Timeout(1200)
  void anotherUserUnpacksItStartsAClusterAndUsesAVolume() throws Exception {
    hasWhatItPromisesAndNothingElse();
    assertThat(salus("--version")).startsWith("salus ");
    whatTheUserMayNotReadIsOneLineThatSaysWhatToDo();
    aDirectoryFromWhichJavaLoadsNothingIsOneLineThatSaysWhatToDo();
    whoMayNotWriteThereInstallsNothing();
    home = Files.move(home, dir.resolve("a b \u00e4 50% a%20b +#;,${user}[x]*"));
    int port = StandaloneProcess.freePort();
    String uri = "nbd://127.0.0.1:" + port + "/disk0";
    Path said = dir.resolve("said");
    standalone =
        new ProcessBuilder(
                command(
                    home + "/bin/salus",
                    "standalone",
                    "--data",
                    dir + "/data",
                    "--servers",
                    "3",
                    "--volume",
                    "disk0:16M",
                    "--nbd",
                    "127.0.0.1:" + port))
            .redirectError(said.toFile())
            .start();
    assertThat(standalone.inputReader().readLine())
        .as(Files.readString(said))
        .isEqualTo("ready " + uri);
    String list = salus("volume", "list", "--data", dir + "/data");
    assertThat(list.lines()).hasSize(2);
    assertThat(list).contains("disk0", "16M", "healthy");
    Shell.Result lost =
        run(
            "sh",
            "-c",
            "'" + home + "/bin/salus' volume list --data '" + dir + "/data' > /dev/full");
    assertThat(lost.code()).as("a list that nobody gets").isEqualTo(1);
    assertThat(lost.output().strip()).startsWith("salus: cannot write to standard output");
    Shell.run("qemu-io", "-f", "raw", "-c", "write -P 7 1M 64k", uri);
    Path copy = dir.resolve("copy");
    Shell.run("nbdcopy", uri, copy.toString());
    byte[] read = Files.readAllBytes(copy);
    assertThat(read).hasSize(16 << 20);
    for (int i = 0; i < read.length; i++) {
      boolean written = i >= 1 << 20 && i < (1 << 20) + (64 << 10);
      if (read[i] != (written ? 7 : 0)) {
        throw new AssertionError("byte " + i + " is " + read[i]);
      }
    }
  }

  private void whatTheUserMayNotReadIsOneLineThatSaysWhatToDo() throws Exception {
    Path jar;
    try (Stream<Path> jars = Files.list(home.resolve("lib/client"))) {
      jar = jars.sorted().toList().get(0);
    }
    Files.setPosixFilePermissions(jar, Set.of());
    Shell.Result refused = run(home + "/bin/salus", "--version");
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.output().lines()).singleElement().asString().contains("chmod -R a+rX");
  }

  private void aDirectoryFromWhichJavaLoadsNothingIsOneLineThatSaysWhatToDo() throws Exception {
    Path odd = Files.move(home, dir.resolve("a:b"));
    Shell.Result refused = run(odd + "/bin/salus", "--version");
    Files.move(odd, home);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.output().lines()).singleElement().asString().contains("a:b", "move it");
  }

  private void whoMayNotWriteThereInstallsNothing() throws Exception {
    Path hadoop = Files.createDirectory(dir.resolve("hadoop"));
    Path site = hadoop.resolve("etc/hadoop/hdfs-site.xml");
    Files.createDirectories(hadoop.resolve("share/hadoop/hdfs/lib"));
    Files.createFile(hadoop.resolve("share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar"));
    Files.createDirectories(site.getParent());
    String before = "<configuration/>\n";
    Files.writeString(site, before);
    if (!ROOT) {
      Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("r-xr-xr-x"));
    }
    List<String> install = new ArrayList<>(List.of(home + "/bin/salus", "install"));
    install.addAll(List.of("--hadoop", hadoop.toString(), "--zookeeper", "zk1:2181"));
    install.addAll(List.of("--hbase-user", "hbase"));
    Shell.Result refused = run(install.toArray(String[]::new));
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.output().lines())
        .singleElement()
        .asString()
        .startsWith("salus: you may not write to " + hadoop + ", which belongs to ");
    assertThat(site).hasContent(before);
    assertThat(hadoop.resolve("salus-installed")).doesNotExist();
    install.add("--dry-run"); // everybody may look
    Shell.Result shown = run(install.toArray(String[]::new));
    assertThat(shown.code()).isEqualTo(1); // as the same without --dry-run
    assertThat(shown.output())
        .contains("+    <value>org.salus.datanode.hdfs.GuardPlugin</value>", "copy " + hadoop)
        .contains("salus: you may not write to " + hadoop, "each NameNode");

    if (ROOT) {
      Shell.run("chown", "-R", OTHER, hadoop.toString());
    } else {
      Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    install.remove("--dry-run");
    assertThat(succeed(install.toArray(String[]::new))).contains("each NameNode");
    assertThat(salus("uninstall", "--hadoop", hadoop.toString(), "--force"))
        .contains("1 line added, ");
    assertThat(Files.readString(site)).isEqualTo(before);
  }

  private void hasWhatItPromisesAndNothingElse() throws IOException {
    try (Stream<Path> files = Files.list(home)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "bin",
              "conf",
              "docs",
              "lib",
              "LICENSE",
              "README.md",
              "CHANGELOG.md",
              "THIRD-PARTY.txt");
    }
    assertThat(home.resolve("conf/systemd/salus-map.service")).isRegularFile();
    Set<String> client = jars("client");
    Set<String> server = jars("server");
    Set<String> both = new HashSet<>(client);
    both.retainAll(server);
    assertThat(both).as("jars in both directories").isEmpty();
    assertThat(client)
        .noneMatch(jar -> jar.matches("(hadoop|hbase)-.*"))
        .anyMatch(jar -> jar.startsWith("salus-nbd-"));
    both.addAll(client);
    both.addAll(server);
    assertThat(both)
        .noneMatch(jar -> jar.matches("salus-(benchmarks|sim|faulty).*|ratis-.*|jmh-.*|xchart-.*"))
        .noneMatch(jar -> jar.matches("(junit|assertj|jqwik|archunit).*"));
    for (String jar : client.stream().filter(jar -> jar.startsWith("salus-")).toList()) {
      try (JarFile file = new JarFile(home.resolve("lib/client").resolve(jar).toFile())) {
        assertThat(file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
            .as(jar)
            .startsWith("org.salus.");
      }
    }
    String licences = Files.readString(home.resolve("THIRD-PARTY.txt"));
    assertThat(licences.lines().filter(l -> l.contains(" - "))).hasSizeGreaterThan(100);
    assertThat(licences).contains("picocli", "hbase-server", "netty-handler");
  }

  private Set<String> jars(String kind) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib").resolve(kind))) {
      return new HashSet<>(
          files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".jar")).toList());
    }
  }
}
