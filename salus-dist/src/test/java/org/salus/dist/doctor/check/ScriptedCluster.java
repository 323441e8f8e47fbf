package org.salus.dist.doctor.check;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.salus.client.VolumeInfo;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.InfoAnswer;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.need.Role;

/** A healthy cluster of four servers, of which a test breaks something. */
public final class ScriptedCluster implements Cluster {
  static final Instant NOW = Instant.parse("2026-01-10T00:00:00Z");
  static final int SERVERS = 4;
  private static final long GIB = 1L << 30;

  /** What a test changes. */
  final List<Daemon> daemons = new ArrayList<>();

  final List<NameNode> nameNodes = new ArrayList<>();
  final List<SalusServer> servers = new ArrayList<>();
  final List<VolumeInfo> volumes = new ArrayList<>();
  final Map<String, String> unreachable = new TreeMap<>();
  final Map<String, String> ips = new HashMap<>();
  String zookeeper = "zk:2181";
  HdfsState hdfs;
  boolean hdfsUnknown;

  public ScriptedCluster() {
    nameNode("nn1", "active");
    nameNode("nn2", "standby");
    List<DataNode> dataNodes = new ArrayList<>();
    for (int i = 1; i <= SERVERS; i++) {
      String host = "host" + i;
      servers.add(
          new SalusServer(
              host + ":16020", host + ":16040", "10.0.0." + i + ":9866", "", false, false));
      dataNodes.add(
          new DataNode(
              host,
              "10.0.0." + i + ":9866",
              host + ":9864",
              true,
              "In Service",
              1,
              100 * GIB,
              60 * GIB));
      daemon(
          Role.DATANODE,
          "10.0.0." + i + ":9866",
          Map.of(
              "dfs.datanode.fsdataset.factory",
              "org.salus.datanode.hdfs.GuardedDataset",
              "dfs.block.local-path-access.user",
              "hbase,other",
              "dfs.datanode.synconclose",
              "true"));
      daemon(
          Role.REGIONSERVER,
          host + ":16020",
          Map.of(
              "hbase.coprocessor.regionserver.classes",
              "a.B, org.salus.regionserver.hbase.SalusRegionServerCoprocessor",
              "hbase.coprocessor.user.region.classes",
              "org.salus.regionserver.hbase.SalusRegionCoprocessor",
              "salus.regionserver.host.class",
              "org.salus.regionserver.RegionServerEngine",
              "hbase.http.filter.initializers",
              "org.salus.monitor.hbase.SalusPages",
              "hbase.zookeeper.quorum",
              "zk",
              "hbase.wal.hsync",
              "true",
              "hbase.use.dynamic.jars",
              "false"));
    }
    daemon(
        Role.MASTER,
        "master:16000",
        Map.of(
            "hbase.coprocessor.master.classes",
            "org.salus.master.hbase.SalusMasterCoprocessor",
            "salus.master.host.class",
            "org.salus.master.VolumeKeeper",
            "hbase.master.loadbalancer.class",
            "org.salus.master.hbase.SalusBalancer",
            "hbase.master.scp.retain.assignment",
            "true",
            "hbase.http.filter.initializers",
            "org.salus.monitor.hbase.SalusPages",
            "hbase.zookeeper.quorum",
            "zk",
            "hbase.zookeeper.property.clientPort",
            "2181",
            "hbase.use.dynamic.jars",
            "false"));
    hdfs = new HdfsState("nn1:8020", "", List.of(), dataNodes);
    volumes.add(volume("healthy", ""));
    ips.put("zk", "10.0.0.9");
  }

  private void nameNode(String host, String state) {
    nameNodes.add(
        new NameNode(
            host + ":8020",
            state,
            Guard.PRESENT,
            "",
            state.equals("active") ? new NameNode.Directory("hbase", "0700", false) : null));
    daemon(
        Role.NAMENODE,
        host + ":8020",
        Map.of(
            "salus.namenode.guard.class",
            "org.salus.datanode.hdfs.ZooKeeperGuard",
            "dfs.block.replicator.classname",
            "org.salus.datanode.hdfs.MemberPlacement",
            "salus.zookeeper.quorum",
            zookeeper));
  }

  private void daemon(Role role, String node, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("salus.secret", "<redacted>");
    boolean active = role == Role.MASTER;
    daemons.add(
        new Daemon(
            role,
            node,
            node.substring(0, node.lastIndexOf(':')) + ":80",
            active,
            new InfoAnswer(
                all,
                List.of(
                    "salus-core-1.0.jar",
                    "jna-5.17.0.jar",
                    "hadoop-common-3.4.3.jar",
                    "hbase-server-2.6.4-hadoop3.jar"),
                role == Role.NAMENODE || role == Role.DATANODE ? "hdfs" : "hbase",
                0.2,
                0.5,
                active ? Map.of("salus_master_rounds_total", 7.0) : Map.of(),
                ""),
            ""));
  }

  static VolumeInfo volume(String health, String why, VolumeInfo.Scrub... scrubs) {
    return volume(health, why, null, scrubs);
  }

  static VolumeInfo volume(
      String health, String why, VolumeInfo.Finding finding, VolumeInfo.Scrub... scrubs) {
    return new VolumeInfo(
        "disk",
        "9",
        new VolumeInfo.Shape(4096, 4096, false, false, 64 << 20),
        false,
        health,
        why,
        null,
        null,
        List.of(),
        List.of(
            new VolumeInfo.Region(
                0, 1, "SERVING", "", health, why, NOW, Map.of(), finding, List.of(), List.of())),
        List.of(scrubs));
  }

  /** A scrub whose last pass ended so long ago. */
  static VolumeInfo.Scrub scrub(String node, Duration ago) {
    Instant ended = NOW.minus(ago);
    return new VolumeInfo.Scrub(node, 1, false, ended, ended, "", 0, 0, 0, 0, 0);
  }

  /** Changes all daemons of a role, or the first one only. */
  void change(Role role, boolean onlyFirst, UnaryOperator<Daemon> change) {
    for (int i = 0; i < daemons.size(); i++) {
      if (daemons.get(i).role() == role) {
        daemons.set(i, change.apply(daemons.get(i)));
        if (onlyFirst) {
          return;
        }
      }
    }
  }

  /** Gives the first daemon of a role a setting; an empty value takes it away. */
  void set(Role role, String key, String value) {
    change(role, true, d -> with(d, a -> setting(a, key, value)));
  }

  private static InfoAnswer setting(InfoAnswer a, String key, String value) {
    Map<String, String> settings = new HashMap<>(a.settings());
    settings.remove(key);
    if (!value.isEmpty()) {
      settings.put(key, value);
    }
    return new InfoAnswer(
        settings, a.classPath(), a.user(), a.ahead(), a.uncertain(), a.metrics(), a.noMetrics());
  }

  static Daemon with(Daemon d, UnaryOperator<InfoAnswer> change) {
    return new Daemon(
        d.role(), d.node(), d.info(), d.active(), change.apply(d.answer()), d.silence());
  }

  /** A daemon that does not answer. */
  static Daemon silent(Daemon d, String why) {
    return new Daemon(d.role(), d.node(), d.info(), d.active(), null, why);
  }

  @Override
  public List<Daemon> daemons() {
    return daemons;
  }

  @Override
  public List<NameNode> nameNodes() {
    return nameNodes;
  }

  @Override
  public HdfsState hdfs() throws IOException {
    if (hdfsUnknown) {
      throw new IOException("the NameNode is away");
    }
    return hdfs;
  }

  /** Replaces DataNode {@code i}, from 0. */
  void dataNode(int i, UnaryOperator<DataNode> change) {
    List<DataNode> nodes = new ArrayList<>(hdfs.dataNodes());
    nodes.set(i, change.apply(nodes.get(i)));
    hdfs = new HdfsState(hdfs.nameNode(), hdfs.safeMode(), hdfs.lostDirectories(), nodes);
  }

  @Override
  public List<SalusServer> servers() {
    return servers;
  }

  @Override
  public List<VolumeInfo> volumes() {
    return volumes;
  }

  @Override
  public String zookeeper() {
    return zookeeper;
  }

  @Override
  public Map<String, String> unreachable(Collection<String> addresses) {
    Map<String, String> asked = new TreeMap<>(unreachable);
    asked.keySet().retainAll(addresses);
    return asked;
  }

  @Override
  public Map<String, String> addresses(Collection<String> hosts) {
    Map<String, String> all = new TreeMap<>();
    hosts.forEach(h -> all.put(h, ips.getOrDefault(h, "10.1.0." + h.hashCode())));
    return all;
  }

  static InfoAnswer metrics(InfoAnswer a, Map<String, Double> metrics) {
    return new InfoAnswer(
        a.settings(), a.classPath(), a.user(), a.ahead(), a.uncertain(), metrics, "");
  }

  static InfoAnswer jars(InfoAnswer a, String... jars) {
    return new InfoAnswer(
        a.settings(), List.of(jars), a.user(), a.ahead(), a.uncertain(), a.metrics(), "");
  }
}
