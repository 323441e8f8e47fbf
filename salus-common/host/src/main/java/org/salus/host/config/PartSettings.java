package org.salus.host.config;

import java.util.List;

/**
 * The settings that put Salus' parts into the servers of HBase and HDFS, and those of {@code salus
 * daemon zookeeper}. The servers read them from their own configuration before any part of Salus
 * runs.
 */
public final class PartSettings {
  /** The class that runs inside a region server. */
  public static final Setting<String> REGION_SERVER =
      Setting.text(
          "salus.regionserver.host.class",
          "",
          "For a region server: the class that hosts members, `org.salus.regionserver.RegionServerEngine`. Empty: the server hosts no members.");

  /** The class that runs inside the master. */
  public static final Setting<String> MASTER =
      Setting.text(
          "salus.master.host.class",
          "",
          "For the HBase master: the class that looks after volumes, `org.salus.master.VolumeKeeper`. Empty: the master looks after none.");

  /** The guard's class inside the NameNode. */
  public static final Setting<String> GUARD =
      Setting.text(
          "salus.namenode.guard.class",
          "",
          "For the NameNode: the class of the guard, which checks permissions, `org.salus.datanode.hdfs.ZooKeeperGuard`. Empty: every change of volumes' files is refused.");

  /** The data directory of {@code salus daemon zookeeper}. */
  public static final Setting<String> ZOOKEEPER_DIR =
      Setting.text(
          "salus.zookeeper.dir",
          "",
          "For `salus daemon zookeeper`: the directory of its data. Required there.");

  /** The address of {@code salus daemon zookeeper}. */
  public static final Setting<String> ZOOKEEPER_ADDRESS =
      Setting.text(
          "salus.zookeeper.address",
          "127.0.0.1",
          "For `salus daemon zookeeper`: the address on which it listens. 0.0.0.0 means all addresses.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL =
      List.of(REGION_SERVER, MASTER, GUARD, ZOOKEEPER_DIR, ZOOKEEPER_ADDRESS);

  private PartSettings() {}
}
