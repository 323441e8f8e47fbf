package org.salus.host.config;

import java.util.List;

/**
 * What makes servers of HBase and HDFS Salus' own: read by these from their own configuration,
 * before there is any of Salus.
 */
public final class PartSettings {
  /** Class inside a region server. */
  public static final Setting<String> REGION_SERVER =
      Setting.text(
          "salus.regionserver.host.class",
          "",
          "In a region server: what hosts the members there; `org.salus.regionserver.RegionServerEngine`; empty: it hosts no volumes.");

  /** Class inside the master. */
  public static final Setting<String> MASTER =
      Setting.text(
          "salus.master.host.class",
          "",
          "In the HBase master: what looks after volumes; `org.salus.master.VolumeKeeper`; empty: nobody does.");

  /** Class inside the NameNode. */
  public static final Setting<String> GUARD =
      Setting.text(
          "salus.namenode.guard.class",
          "",
          "In the NameNode: what checks certificates; `org.salus.datanode.hdfs.ZooKeeperGuard`; empty: every change of volumes' files is refused.");

  /** A directory. */
  public static final Setting<String> ZOOKEEPER_DIR =
      Setting.text(
          "salus.zookeeper.dir",
          "",
          "Of `salus daemon zookeeper`: where it keeps its data; required there.");

  /** An address. */
  public static final Setting<String> ZOOKEEPER_ADDRESS =
      Setting.text(
          "salus.zookeeper.address",
          "127.0.0.1",
          "Of `salus daemon zookeeper`: the address on which it listens; 0.0.0.0 for all.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL =
      List.of(REGION_SERVER, MASTER, GUARD, ZOOKEEPER_DIR, ZOOKEEPER_ADDRESS);

  private PartSettings() {}
}
