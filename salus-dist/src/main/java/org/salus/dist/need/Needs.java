package org.salus.dist.need;

import static org.salus.dist.need.Role.DATANODE;
import static org.salus.dist.need.Role.MASTER;
import static org.salus.dist.need.Role.NAMENODE;
import static org.salus.dist.need.Role.REGIONSERVER;

import java.util.List;
import java.util.stream.Stream;
import org.salus.datanode.hdfs.GuardPlugin;
import org.salus.datanode.hdfs.GuardedDataset;
import org.salus.datanode.hdfs.MemberPlacement;
import org.salus.datanode.hdfs.ZooKeeperGuard;
import org.salus.dist.need.Need.Must;
import org.salus.host.config.PartSettings;
import org.salus.master.VolumeKeeper;
import org.salus.master.hbase.SalusBalancer;
import org.salus.master.hbase.SalusMasterCoprocessor;
import org.salus.monitor.hbase.SalusPages;
import org.salus.regionserver.RegionServerEngine;
import org.salus.regionserver.hbase.SalusRegionCoprocessor;
import org.salus.regionserver.hbase.SalusRegionServerCoprocessor;

/** All settings that Salus needs of daemons, but those that depend on the cluster. */
public final class Needs {
  /** How long HDFS waits until it closes a file whose writer is away, whatever that writer says. */
  public static final String LONG_LEASES = "dfs.namenode.lease-hard-limit-sec";

  /** Whether a DataNode syncs a block when it is closed. */
  public static final String SYNC_ON_CLOSE = "dfs.datanode.synconclose";

  /** Which class says where replicas are put. */
  public static final String PLACEMENT = "dfs.block.replicator.classname";

  /** Which class says where HBase's regions are. */
  public static final String BALANCER = "hbase.master.loadbalancer.class";

  /** Which classes make pages of HBase's info servers. */
  public static final String PAGES = "hbase.http.filter.initializers";

  /** Whether HBase loads classes from directories while it runs. */
  public static final String DYNAMIC_JARS = "hbase.use.dynamic.jars";

  private static final String AUTHENTICATION = "hadoop.security.authentication";

  /** Of every daemon of its role. */
  public static final List<Need> KEYS =
      List.of(
          problem(
              NAMENODE,
              PartSettings.GUARD.key(),
              Must.BE_SET,
              ZooKeeperGuard.class.getName(),
              "every change of volumes' files is refused"),
          problem(
              NAMENODE,
              PLACEMENT,
              Must.BE,
              MemberPlacement.class.getName(),
              "replicas of volumes are put where no member is"),
          problem(
              DATANODE,
              "dfs.datanode.fsdataset.factory",
              Must.BE,
              GuardedDataset.class.getName(),
              "whoever reaches the DataNode can cut replicas of volumes"),
          problem(
              DATANODE,
              "dfs.data.transfer.protection",
              Must.NOT_DIFFER_FROM,
              "",
              "region servers cannot write replicas: Salus has no SASL there"),
          problem(
              DATANODE,
              "dfs.encrypt.data.transfer",
              Must.NOT_DIFFER_FROM,
              "false",
              "region servers cannot write replicas: Salus has no encryption there"),
          coprocessors(MASTER, "no master looks after volumes"),
          coprocessors(REGIONSERVER, "the server hosts no members"),
          problem(
              MASTER,
              "hbase.coprocessor.master.classes",
              Must.NAME,
              SalusMasterCoprocessor.class.getName(),
              "no master looks after volumes"),
          problem(
              MASTER,
              PartSettings.MASTER.key(),
              Must.BE_SET,
              VolumeKeeper.class.getName(),
              "no master looks after volumes"),
          warning(
              MASTER,
              BALANCER,
              Must.BE,
              SalusBalancer.class.getName(),
              "HBase moves regions away from their data"),
          warning(
              MASTER,
              "hbase.master.scp.retain.assignment",
              Must.BE,
              "true",
              "regions come back on other servers than those with their data"),
          problem(
              REGIONSERVER,
              "hbase.coprocessor.regionserver.classes",
              Must.NAME,
              SalusRegionServerCoprocessor.class.getName(),
              "the server hosts no members"),
          problem(
              REGIONSERVER,
              "hbase.coprocessor.user.region.classes",
              Must.NAME,
              SalusRegionCoprocessor.class.getName(),
              "HBase's clients can write to the tables of volumes"),
          problem(
              REGIONSERVER,
              PartSettings.REGION_SERVER.key(),
              Must.BE_SET,
              RegionServerEngine.class.getName(),
              "the server hosts no members"),
          page(MASTER),
          page(REGIONSERVER));

  /** Without these, HDFS or HBase may not come back after all hosts have lost power. */
  public static final List<Need> POWER_CUTS =
      List.of(
          powerCut(
              DATANODE,
              SYNC_ON_CLOSE,
              "false",
              "true",
              "files that HBase has just closed may be empty, and the HBase master may not start"),
          powerCut(
              REGIONSERVER,
              "hbase.wal.hsync",
              "false",
              "true",
              "acknowledged rows of HBase's own tables may be lost"),
          powerCut(
              MASTER,
              "hbase.master.store.region.wal.hsync",
              "true",
              "true",
              "the master may forget what it was doing"),
          powerCut(
              NAMENODE,
              "dfs.namenode.edits.noeditlogchannelflush",
              "false",
              "false",
              "files that were made may be gone"));

  /**
   * Of a NameNode that is started by its own main class. A NameNode of {@code salus daemon} needs
   * neither. Whether there is a guard, it says itself.
   */
  public static final List<Need> STOCK_NAMENODE =
      List.of(
          problem(
              NAMENODE,
              "dfs.namenode.plugins",
              Must.NAME,
              GuardPlugin.class.getName(),
              "nothing guards the files of volumes"),
          problem(
              NAMENODE,
              LONG_LEASES,
              Must.BE_AT_LEAST,
              "315360000",
              "HDFS cuts files of volumes that were idle, and the guard does not start"));

  /** What Salus does not work with yet. */
  public static final List<Need> NO_KERBEROS =
      List.of(
          noKerberos(NAMENODE, AUTHENTICATION, "simple"),
          noKerberos(MASTER, AUTHENTICATION, "simple"),
          noKerberos(MASTER, "hbase.security.authentication", "simple"),
          problem(
              DATANODE,
              "dfs.block.access.token.enable",
              Must.NOT_DIFFER_FROM,
              "false",
              "servers cannot copy replicas: Salus does not support block tokens yet"));

  /**
   * HBase has it on by default, in a directory below {@code /tmp}. Whoever has set it wants it so,
   * and {@code salus doctor} looks which directories it is about.
   */
  public static final List<Need> NO_DYNAMIC_JARS =
      List.of(
          new Need(
              MASTER,
              DYNAMIC_JARS,
              Must.BE_SET,
              "false",
              "",
              false,
              "HBase loads classes from directories in which others may make files"));

  /** Whether a NameNode shows its metrics to Prometheus. */
  public static final String PROMETHEUS = "hadoop.prometheus.endpoint.enabled";

  /** Hadoop has it off by default. Whoever has set it wants it so. */
  public static final List<Need> METRICS =
      List.of(
          new Need(
              NAMENODE,
              PROMETHEUS,
              Must.BE_SET,
              "true",
              "",
              false,
              "Prometheus gets no metrics of the NameNode, and takes it for dead"));

  /** The setting that names the users who may read the files of a DataNode. */
  public static final String LOCAL_READERS = "dfs.block.local-path-access.user";

  /** All of daemons that are started by their own main classes. */
  public static final List<Need> ALL =
      Stream.of(STOCK_NAMENODE, KEYS, NO_DYNAMIC_JARS, METRICS, POWER_CUTS, NO_KERBEROS)
          .flatMap(List::stream)
          .toList();

  private Needs() {}

  /** What a DataNode needs so that the region server beside it, which this user runs, may read. */
  public static Need localReader(String user) {
    return problem(
        DATANODE, LOCAL_READERS, Must.NAME, user, "no region server can read its replicas");
  }

  private static Need problem(Role role, String key, Must must, String value, String without) {
    return new Need(role, key, must, value, "", true, without);
  }

  private static Need warning(Role role, String key, Must must, String value, String without) {
    return new Need(role, key, must, value, "", false, without);
  }

  private static Need coprocessors(Role role, String without) {
    return problem(role, "hbase.coprocessor.enabled", Must.NOT_DIFFER_FROM, "true", without);
  }

  private static Need page(Role role) {
    return new Need(
        role,
        PAGES,
        Must.NAME,
        SalusPages.class.getName(),
        "org.apache.hadoop.hbase.http.lib.StaticUserWebFilter",
        false,
        "there is no page /salus, and no metrics for Prometheus");
  }

  private static Need noKerberos(Role role, String key, String value) {
    return problem(
        role,
        key,
        Must.NOT_DIFFER_FROM,
        value,
        "no part of Salus can log in: it does not support Kerberos yet");
  }

  private static Need powerCut(
      Role role, String key, String fallback, String needed, String without) {
    return new Need(role, key, Must.BE, needed, fallback, false, without);
  }
}
