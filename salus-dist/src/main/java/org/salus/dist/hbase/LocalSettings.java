package org.salus.dist.hbase;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.HdfsSettings;
import org.salus.datanode.hdfs.MemberPlacement;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.datanode.hdfs.ZooKeeperGuard;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.data.DataDirectoryException;
import org.salus.dist.need.Needs;
import org.salus.host.config.ServerSettings;
import org.salus.master.MasterHost;
import org.salus.master.VolumeKeeper;
import org.salus.master.hbase.SalusBalancer;
import org.salus.master.hbase.SalusMasterCoprocessor;
import org.salus.monitor.hbase.SalusPages;
import org.salus.regionserver.RegionServerEngine;
import org.salus.regionserver.RegionServerHost;
import org.salus.regionserver.hbase.SalusRegionCoprocessor;
import org.salus.regionserver.hbase.SalusRegionServerCoprocessor;

/** The settings of a cluster on one machine: small heaps, quick to start, stop and recover. */
public final class LocalSettings {
  private static final int DAY_SECONDS = 24 * 60 * 60;

  private LocalSettings() {}

  /** The settings of HDFS' daemons beyond {@link HdfsSettings}. {@code overrides} win. */
  public static Configuration hdfs(
      ServerAddresses addresses, int zookeeper, Map<String, String> overrides) {
    Configuration conf = new Configuration();
    conf.setBoolean("fs.automatic.close", false);
    conf.set(ChangeGuard.CLASS_KEY, ZooKeeperGuard.class.getName());
    conf.set("dfs.block.replicator.classname", MemberPlacement.class.getName());
    conf.set("salus.zookeeper.quorum", addresses.main() + ":" + zookeeper);
    overrides.forEach(conf::set);
    return conf;
  }

  /**
   * The same for daemons in processes of their own, which also show Prometheus their metrics. In
   * one process HBase stops Hadoop's metrics for half a second whenever its regions change, and no
   * HTTP server with metrics for Prometheus starts meanwhile.
   */
  static Configuration hdfsDaemons(
      ServerAddresses addresses, int zookeeper, Map<String, String> overrides) {
    Map<String, String> all = new HashMap<>(overrides);
    all.putIfAbsent(Needs.PROMETHEUS, "true");
    return hdfs(addresses, zookeeper, all);
  }

  /** The settings of the master and of clients. {@code overrides} win. */
  public static Configuration cluster(
      DataDirectory data,
      int zookeeper,
      HdfsSettings hdfs,
      int servers,
      Map<String, String> overrides)
      throws DataDirectoryException {
    Configuration conf = HBaseConfiguration.create(hdfs.nameNode());
    String main = hdfs.addresses().main();
    conf.set("hbase.rootdir", hdfs.nameNodeUri() + "/hbase");
    conf.set("hbase.zookeeper.quorum", main);
    conf.setInt("hbase.zookeeper.property.clientPort", zookeeper);
    conf.setInt("zookeeper.session.timeout", 15_000);
    conf.setBoolean(LocalHBaseCluster.ASSIGN_RANDOM_PORTS, false);
    conf.set("hbase.master.hostname", main);
    conf.set("hbase.master.ipc.address", main);
    conf.setInt("hbase.master.port", data.port("master", hdfs.addresses().local(main)));
    conf.set("hbase.http.metrics.servlets", "jmx,metrics,prometheus");
    conf.set("hbase.http.filter.initializers", SalusPages.class.getName());
    conf.setInt("hbase.master.info.port", -1);
    conf.setInt("hbase.regionserver.info.port", -1);
    Path tmp = data.path().resolve("tmp");
    conf.set("hbase.tmp.dir", tmp.toString());
    conf.set("hbase.local.dir", tmp.resolve("local").toString());
    conf.setBoolean("hbase.use.dynamic.jars", false);
    conf.setBoolean("hbase.filesystem.reorder.blocks", false);
    conf.setInt("hbase.master.wait.on.regionservers.mintostart", servers);
    conf.setInt("hbase.master.wait.on.regionservers.maxtostart", servers);
    hooks(conf);
    salus(conf);
    quickStart(conf);
    quickRecovery(conf);
    patience(conf);
    // With this, HBase's own tables survive a power cut. Without it HBase acknowledges what
    // DataNodes have only in memory.
    conf.setBoolean("hbase.wal.hsync", true);
    smallHeap(conf);
    overrides.forEach(conf::set);
    return conf;
  }

  /** The settings of one region server. */
  public static Configuration server(
      Configuration cluster, DataDirectory data, HdfsSettings hdfs, int server)
      throws DataDirectoryException {
    Configuration conf = new Configuration(cluster);
    String address = hdfs.addresses().server(server);
    conf.set("hbase.regionserver.hostname", address);
    conf.set("hbase.regionserver.ipc.address", address);
    conf.setInt(
        "hbase.regionserver.port",
        data.port("regionserver" + server, hdfs.addresses().local(address)));
    conf.set(EmbeddedCluster.DATA_NODE_KEY, hdfs.dataNodeAddress(server));
    return conf;
  }

  private static void hooks(Configuration conf) {
    conf.set("hbase.coprocessor.master.classes", SalusMasterCoprocessor.class.getName());
    conf.set(
        "hbase.coprocessor.regionserver.classes", SalusRegionServerCoprocessor.class.getName());
    conf.set("hbase.coprocessor.user.region.classes", SalusRegionCoprocessor.class.getName());
    conf.set("hbase.master.loadbalancer.class", SalusBalancer.class.getName());
    conf.setInt("hbase.balancer.period", 60_000);
    // The cluster stops its parts in order; their own hooks would stop them all at the same time.
    conf.setBoolean("hbase.shutdown.hook", false);
    conf.setBoolean("fs.automatic.close", false);
  }

  /**
   * Adds Salus' parts. All servers share the cores, so each has one loop. They share the host with
   * those of other clusters, so each has a port of its own.
   */
  private static void salus(Configuration conf) {
    conf.set(RegionServerHost.CLASS_KEY, RegionServerEngine.class.getName());
    conf.set(MasterHost.CLASS_KEY, VolumeKeeper.class.getName());
    conf.setInt("salus.server.loops", 1);
    conf.setInt(ServerSettings.PORT.key(), 0);
  }

  private static void quickStart(Configuration conf) {
    conf.setInt("hbase.regionserver.msginterval", 500);
    conf.setInt("hbase.procedure.remote.dispatcher.delay.msec", 20);
    // After a restart each replica goes back to the server that has its data.
    conf.setBoolean("hbase.master.scp.retain.assignment", true);
  }

  /**
   * Lets HDFS close the files that a killed process left open within a heartbeat or two instead of
   * a minute.
   */
  private static void quickRecovery(Configuration conf) {
    conf.setInt("hbase.lease.recovery.first.pause", 300);
    conf.setInt("hbase.lease.recovery.pause", 200);
    conf.setLong("hbase.lease.recovery.dfs.timeout", 5_000);
    conf.setInt("hbase.splitlog.manager.timeoutmonitor.period", 200);
    conf.setInt("hbase.client.retries.number", 12);
    conf.setInt("hbase.client.serverside.retries.multiplier", 1);
  }

  /**
   * Lets HBase's calls to HDFS wait for the NameNode and for the end of safe mode. Without this
   * HBase's servers end as soon as they fail to flush or to begin a new log. HBase's own retries of
   * that leave a log behind that it never made, and end it later. A single NameNode is needed:
   * calls would wait for the first of several though another one is active.
   */
  private static void patience(Configuration conf) {
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, true);
    conf.set(HdfsClientConfigKeys.Retry.POLICY_SPEC_KEY, "1000," + DAY_SECONDS);
  }

  private static void smallHeap(Configuration conf) {
    conf.setFloat("hfile.block.cache.size", 0.02f);
    conf.setFloat("hbase.regionserver.global.memstore.size", 0.05f);
    conf.setInt("hbase.hregion.memstore.flush.size", 8 << 20);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.set("hbase.hregion.compacting.memstore.type", "NONE");
    conf.set("hbase.systemtables.compacting.memstore.type", "NONE");
    conf.setBoolean("hbase.server.allocator.pool.enabled", false);
    conf.setInt("hbase.regionserver.handler.count", 4);
    conf.setInt("hbase.regionserver.metahandler.count", 4);
    conf.setInt("hbase.regionserver.replication.handler.count", 1);
    conf.setInt("hbase.master.procedure.threads", 4);
    conf.setInt("hbase.hconnection.threads.max", 8);
  }
}
