package org.salus.dist.doctor.cluster;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.salus.client.VolumeInfo;

/**
 * A running cluster. Each question is asked once, however many checks want the answer, and waits
 * some seconds at most for a daemon that hangs. A question fails only if nothing at all is known;
 * the message says why. Thread-safe.
 */
public interface Cluster {
  /** The daemons of HBase and HDFS that are known, whether they answer or not. */
  List<Daemon> daemons() throws IOException;

  /** All NameNodes of the configuration. */
  List<NameNode> nameNodes() throws IOException;

  /** What the NameNode says of HDFS. */
  HdfsState hdfs() throws IOException;

  /** The DataNodes that are known, for who can do without. */
  default List<HdfsState.DataNode> knownDataNodes() {
    try {
      return hdfs().dataNodes();
    } catch (IOException unknown) { // whoever needs the state of HDFS is told
      return List.of();
    }
  }

  /** The registered servers. */
  List<SalusServer> servers() throws IOException;

  /** The volumes, as {@code salus volume info} shows them. */
  List<VolumeInfo> volumes() throws IOException;

  /** ZooKeeper's servers as this program was told them. */
  String zookeeper();

  /**
   * Tries to connect.
   *
   * @param addresses {@code host:port} each
   * @return those to which no connection can be made, and why
   */
  Map<String, String> unreachable(Collection<String> addresses) throws IOException;

  /** The IP address of each of these hosts, or an empty text where its name is not known here. */
  Map<String, String> addresses(Collection<String> hosts) throws IOException;
}
