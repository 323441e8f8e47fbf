package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.system.PackageHosts.Host;

/**
 * Installs the Debian package on three hosts, as docs/operating.md says, starts what its units
 * start, uses a volume, loses a host, and removes the package.
 */
@Tag("cluster")
class DebianPackageIT {
  private static final Path TARGET =
      Path.of(System.getProperty("basedir", ".")).resolve("target").toAbsolutePath();
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String CONF = "/etc/salus/cluster.xml";

  @TempDir private Path dir;
  private PackageHosts hosts;
  private String deb;

  @BeforeEach
  void start() throws Exception {
    hosts = PackageHosts.start(dir, List.of("host1", "host2", "host3"));
    try (Stream<Path> files = Files.list(TARGET)) {
      deb =
          files
              .filter(f -> f.getFileName().toString().matches("salus_.*_all\\.deb"))
              .findFirst()
              .orElseThrow(() -> new IOException("there is no package in " + TARGET))
              .toString();
    }
  }

  @AfterEach
  void stop() throws Exception {
    hosts.close();
  }

  @Test
  @Timeout(900)
  void threeHostsHaveAClusterByThePackage() throws Exception {
    Host first = hosts.hosts().get(0);
    Host third = hosts.hosts().get(2);
    for (Host h : hosts.hosts()) {
      h.run("dpkg", "-i", deb);
      configure(h);
    }
    nobodyElseReadsTheSecret(first);
    first.run("sh", "-c", "systemd-analyze verify /usr/lib/systemd/system/salus-*");
    for (String unit : List.of("salus-zookeeper", "salus-namenode")) {
      start(first, unit);
    }
    for (Host h : hosts.hosts()) {
      start(h, "salus-datanode");
    }
    start(first, "salus-master");
    for (Host h : hosts.hosts()) {
      start(h, "salus-regionserver");
    }

    salus(first, "volume", "create", "disk1:64M");
    assertThat(salus(first, "doctor")).contains("healthy: no problems");
    first.write("/etc/default/salus-nbd-disk1", "NBD_OPTIONS=\"--listen 0.0.0.0:10810\"\n");
    assertThat(first.start("salus-nbd@disk1")).startsWith("ready nbd://");
    String disk = "nbd://host1:10810/disk1";
    qemuIo(third, disk, "write -P 7 1M 1M", "flush");
    third.killAll();
    qemuIo(first, disk, "read -P 7 1M 1M", "write -P 8 2M 1M", "flush", "read -P 8 2M 1M");

    third.run("dpkg", "-i", deb);
    assertThat(third.run("cat", CONF)).as("an operator's settings").contains(SECRET);
    third.run("mkdir", "-p", "/run/salus");
    third.write("/run/salus/disk1.map", "");
    for (String removal : List.of("-r", "-P")) {
      Shell.Result refused = third.tryRun("dpkg", removal, "salus");
      assertThat(refused.code()).isNotZero();
      assertThat(refused.output()).contains("volumes are mapped");
    }
    Shell.Result refused = third.tryRun("dpkg", "-i", deb);
    assertThat(refused.output()).contains("before an upgrade, unmap all volumes");
    third.run("rm", "/run/salus/disk1.map");
    third.run("dpkg", "-r", "salus");
    assertThat(third.tryRun("ls", "/opt/salus", "/usr/bin/salus").output().lines())
        .as("files of a removed package")
        .allMatch(l -> l.contains("No such file"));
    assertThat(third.run("cat", CONF)).contains(SECRET);
    assertThat(third.run("dpkg", "-P", "salus")).contains("/var/lib/salus stays");
    assertThat(third.tryRun("ls", "/etc/salus", "/var/log/salus").code()).isEqualTo(2);
    assertThat(third.run("ls", "/var/lib/salus")).contains("datanode");
  }

  /** What docs/operating.md tells an operator to fill in. */
  private static void configure(Host h) throws IOException, InterruptedException {
    h.run("sed", "-i", "s/namenode.example/host1/; s/zookeeper.example/host1/", CONF);
    String secret = "/salus.secret/{n;s#<value></value>#<value>" + SECRET + "</value>#}";
    h.run("sed", "-i", secret, CONF);
    h.run(
        "sed", "-i", "s/^# SALUS_OPTS=/SALUS_OPTS=-XX:TieredStopAtLevel=1/", "/etc/default/salus");
  }

  private static void nobodyElseReadsTheSecret(Host h) throws IOException, InterruptedException {
    Shell.Result other = h.tryRun("setpriv", "--reuid", "nobody", "--clear-groups", "cat", CONF);
    assertThat(other.code()).as(other.output()).isEqualTo(1);
    assertThat(h.run("setpriv", "--reuid", "nobody", "--clear-groups", "salus", "--version"))
        .startsWith("salus ");
  }

  private static void start(Host h, String unit) throws IOException, InterruptedException {
    assertThat(h.start(unit)).as(unit).isEqualTo(unit.replace("salus-", "ready "));
  }

  private String salus(Host h, String... words) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("salus"));
    all.addAll(List.of(words));
    all.addAll(List.of("--conf", CONF));
    Shell.Result result = h.salus(all.toArray(String[]::new));
    assertThat(result.code()).as(() -> result.output() + hosts.logs()).isZero();
    return result.output();
  }

  private static void qemuIo(Host h, String disk, String... commands)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("qemu-io", "-f", "raw", disk));
    for (String command : commands) {
      all.addAll(List.of("-c", command));
    }
    Shell.Result result = h.tryRun(all.toArray(String[]::new));
    assertThat(result.code()).as(result.output()).isZero();
    assertThat(result.output()).doesNotContain("failed");
  }
}
