package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.master.LoadBalancer;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.ServerSettings;
import org.salus.host.config.Settings;
import org.salus.master.MasterHost;
import org.salus.regionserver.RegionServerHost;

/**
 * Checks the configuration files in {@code conf/}, with which an operator begins: the launchers
 * read them, and they have what Salus needs.
 */
class ConfTest {
  private static final Path CONF =
      Path.of(System.getProperty("basedir", ".")).resolveSibling("conf").toAbsolutePath();

  private static Configuration of(Daemon role) throws IOException {
    return DaemonServer.read(CONF.resolve(role.name().toLowerCase(Locale.ROOT) + ".xml"));
  }

  private static Map<String, String> salus(Configuration conf) {
    Map<String, String> all = new HashMap<>();
    conf.getPropsWithPrefix("salus.").forEach((key, value) -> all.put("salus." + key, value));
    return all;
  }

  @ParameterizedTest
  @EnumSource(Daemon.class)
  void everyRoleHasAFileWithWhatAllShare(Daemon role) throws IOException {
    Configuration conf = of(role);
    Map<String, String> settings = salus(conf);
    Settings.requireKnown(settings);
    assertThat(ClusterSettings.from(settings).rrsMinMembers()).isEqualTo(2);
    ServerSettings.from(settings);
    assertThat(settings.get("salus.zookeeper.quorum"))
        .isEqualTo(
            conf.get("hbase.zookeeper.quorum")
                + ":"
                + conf.get("hbase.zookeeper.property.clientPort"));
    assertThat(conf.get("hbase.rootdir")).startsWith(conf.get("fs.defaultFS") + "/");
  }

  @ParameterizedTest
  @CsvSource({
    "NAMENODE, salus.namenode.guard.class",
    "MASTER, salus.master.host.class",
    "REGIONSERVER, salus.regionserver.host.class",
    "NAMENODE, dfs.block.replicator.classname",
    "MASTER, hbase.coprocessor.master.classes",
    "MASTER, hbase.master.loadbalancer.class",
    "REGIONSERVER, hbase.coprocessor.regionserver.classes",
    "REGIONSERVER, hbase.coprocessor.user.region.classes"
  })
  void thePartsOfSalusAreClassesOfTheirKind(Daemon role, String key) throws Exception {
    Map<String, Class<?>> kinds =
        Map.of(
            "salus.namenode.guard.class",
            ChangeGuard.class,
            "salus.master.host.class",
            MasterHost.class,
            "salus.regionserver.host.class",
            RegionServerHost.class,
            "dfs.block.replicator.classname",
            BlockPlacementPolicy.class,
            "hbase.coprocessor.master.classes",
            MasterCoprocessor.class,
            "hbase.master.loadbalancer.class",
            LoadBalancer.class,
            "hbase.coprocessor.regionserver.classes",
            RegionServerCoprocessor.class,
            "hbase.coprocessor.user.region.classes",
            RegionCoprocessor.class);
    assertThat(kinds.get(key)).isAssignableFrom(Class.forName(of(role).get(key))).isNotNull();
    assertThat(Class.forName(of(role).get(key)).getName()).startsWith("org.salus.");
  }

  /** The table of docs/operating.md. */
  @ParameterizedTest
  @CsvSource({
    "DATANODE, dfs.datanode.synconclose, true",
    "REGIONSERVER, hbase.wal.hsync, true",
    "MASTER, hbase.wal.hsync, true",
    "MASTER, hbase.master.store.region.wal.hsync, true",
    "NAMENODE, dfs.namenode.edits.noeditlogchannelflush, false"
  })
  void whatPowerCutsNeedIsSet(Daemon role, String key, String needed) throws IOException {
    assertThat(of(role).get(key)).isEqualTo(needed);
    assertThat(Files.readString(CONF.resolve(role.name().toLowerCase(Locale.ROOT) + ".xml")))
        .contains("<name>" + key + "</name>");
  }

  /** What others can write to below /tmp, HBase would load classes from. */
  @ParameterizedTest
  @EnumSource(
      value = Daemon.class,
      names = {"MASTER", "REGIONSERVER"})
  void hbaseLoadsNoClassesThatOthersPutThere(Daemon role) throws IOException {
    assertThat(of(role).get("hbase.local.dir")).startsWith("/var/lib/salus/");
    assertThat(of(role).getBoolean("hbase.use.dynamic.jars", true)).isFalse();
  }

  /** With two NameNodes, HBase would wait for the one that is gone. */
  @ParameterizedTest
  @EnumSource(
      value = Daemon.class,
      names = {"MASTER", "REGIONSERVER"})
  void hbaseWaitsForASingleNameNodeOnlyWhereSomebodySaysSo(Daemon role) throws IOException {
    assertThat(of(role).getBoolean("dfs.client.retry.policy.enabled", false)).isFalse();
    assertThat(Files.readString(CONF.resolve(role.name().toLowerCase(Locale.ROOT) + ".xml")))
        .contains("<name>dfs.client.retry.policy.enabled</name>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts.yml", "grafana-dashboard.json"})
  void monitoringUsesOnlyMetricsThatTheTableHas(String file) throws IOException {
    String table = Files.readString(CONF.resolveSibling("docs").resolve("operating.md"));
    List<String> names =
        Pattern.compile("\\bsalus_[a-z_]+")
            .matcher(Files.readString(CONF.resolve("monitoring").resolve(file)))
            .results()
            .map(m -> m.group().replaceFirst("_bucket$", ""))
            .distinct()
            .toList();
    assertThat(names).hasSizeGreaterThan(5).allMatch(name -> table.contains("`" + name + "`"));
  }

  @Test
  void everyFileSaysWhatItIsForAndNoneIsForNobody() throws IOException {
    try (Stream<Path> files = Files.list(CONF)) {
      assertThat(files.sorted().toList())
          .extracting(f -> f.getFileName().toString())
          .containsExactly(
              "cluster.xml",
              "datanode.xml",
              "master.xml",
              "monitoring",
              "namenode.xml",
              "regionserver.xml",
              "saltab",
              "systemd",
              "zookeeper.xml");
    }
    for (String name :
        List.of("cluster", "datanode", "master", "namenode", "regionserver", "zookeeper")) {
      assertThat(Files.readString(CONF.resolve(name + ".xml"))).as(name).contains("<!-- ");
    }
    assertThat(of(Daemon.ZOOKEEPER).get("salus.zookeeper.dir")).isNotEmpty();
    assertThat(Files.readString(CONF.resolve("cluster.xml"))).contains("<name>salus.secret</name>");
  }
}
