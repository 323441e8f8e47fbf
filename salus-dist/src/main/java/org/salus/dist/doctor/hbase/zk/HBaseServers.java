package org.salus.dist.doctor.hbase.zk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionServerInfo;
import org.apache.hadoop.hbase.zookeeper.MasterAddressTracker;
import org.apache.hadoop.hbase.zookeeper.ZKUtil;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.hadoop.hbase.zookeeper.ZNodePaths;
import org.apache.zookeeper.KeeperException;
import org.salus.dist.need.Role;

/**
 * Reads the servers that HBase has from ZooKeeper, where they are also while no master runs and
 * whoever hangs.
 */
public final class HBaseServers {
  private HBaseServers() {}

  /**
   * A server of HBase.
   *
   * @param node {@code host:port}
   * @param infoPort the port of its info server; 0 if it has none
   * @param active whether it is the master that works
   */
  public record Server(Role role, String node, int infoPort, boolean active) {}

  /**
   * All running masters and region servers, the active master first.
   *
   * @param quorum ZooKeeper's servers
   * @param settings HBase's settings, as far as they are known
   * @param limitMillis the longest time that ZooKeeper may take for one answer
   * @throws IOException if ZooKeeper does not say
   */
  public static List<Server> read(String quorum, Map<String, String> settings, int limitMillis)
      throws IOException {
    Configuration conf = HBaseConfiguration.create();
    settings.forEach(conf::set);
    conf.set("hbase.zookeeper.quorum", withoutPath(quorum));
    conf.setInt("zookeeper.session.timeout", limitMillis);
    conf.setInt("zookeeper.recovery.retry", 1);
    try (ZKWatcher zookeeper = new ZKWatcher(conf, "salus-doctor", null)) {
      String parent = zookeeper.getZNodePaths().baseZNode;
      if (ZKUtil.checkExists(zookeeper, parent) < 0) {
        throw new IOException(
            "ZooKeeper has no "
                + parent
                + " with the servers of HBase: give -D zookeeper.znode.parent=PATH with the path"
                + " that HBase's daemons have, or start HBase if it never ran");
      }
      List<Server> servers = new ArrayList<>();
      masters(zookeeper, servers);
      regionServers(zookeeper, servers);
      return servers;
    } catch (KeeperException failed) {
      throw new IOException(
          "ZooKeeper does not tell HBase's servers: " + failed.getMessage(), failed);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** A path in ZooKeeper is that of Salus; HBase has none in its list of servers. */
  private static String withoutPath(String quorum) {
    int path = quorum.indexOf('/');
    return path < 0 ? quorum : quorum.substring(0, path);
  }

  private static void masters(ZKWatcher zookeeper, List<Server> servers)
      throws IOException, KeeperException, InterruptedException {
    ZNodePaths paths = zookeeper.getZNodePaths();
    if (ZKUtil.checkExists(zookeeper, paths.masterAddressZNode) >= 0) {
      ServerName active = MasterAddressTracker.getMasterAddress(zookeeper);
      servers.add(
          new Server(
              Role.MASTER,
              active.getAddress().toString(),
              MasterAddressTracker.getMasterInfoPort(zookeeper),
              true));
    }
    for (String name : children(zookeeper, paths.backupMasterAddressesZNode)) {
      ServerName backup = ServerName.parseServerName(name);
      servers.add(
          new Server(
              Role.MASTER,
              backup.getAddress().toString(),
              MasterAddressTracker.getBackupMasterInfoPort(zookeeper, backup),
              false));
    }
  }

  private static void regionServers(ZKWatcher zookeeper, List<Server> servers)
      throws IOException, KeeperException, InterruptedException {
    String parent = zookeeper.getZNodePaths().rsZNode;
    for (String name : children(zookeeper, parent)) {
      byte[] data = ZKUtil.getData(zookeeper, ZNodePaths.joinZNode(parent, name));
      if (data == null) {
        continue; // it has just ended
      }
      RegionServerInfo.Builder info = RegionServerInfo.newBuilder();
      if (ProtobufUtil.isPBMagicPrefix(data)) {
        int magic = ProtobufUtil.lengthOfPBMagic();
        ProtobufUtil.mergeFrom(info, data, magic, data.length - magic);
      }
      servers.add(
          new Server(
              Role.REGIONSERVER,
              ServerName.parseServerName(name).getAddress().toString(),
              Math.max(0, info.getInfoPort()),
              false));
    }
  }

  private static List<String> children(ZKWatcher zookeeper, String parent) throws KeeperException {
    List<String> children = ZKUtil.listChildrenNoWatch(zookeeper, parent);
    return children == null ? List.of() : children.stream().sorted().toList();
  }
}
