package org.salus.datanode.hdfs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.RegionId;
import org.salus.core.log.FilePath;
import org.salus.core.log.KnownEpochs.Rrs;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterMirror;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the current RRSs from a copy of ZooKeeper's records. It never waits for ZooKeeper, because
 * all of HDFS would wait with it. When ZooKeeper has not been heard for {@link #MOST_AGE}, it
 * allows nothing. Thread-safe.
 */
public final class ZooKeeperGuard extends CertificateGuard implements Configurable {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperGuard.class);
  private static final Duration SESSION = Duration.ofSeconds(15);

  /** The oldest knowledge that counts. ZooKeeper, too, then holds this process for dead. */
  private static final Duration MOST_AGE = SESSION;

  private Configuration conf;
  private byte[] secret;
  private ClusterMirror cluster;

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
    ClientSettings settings = ClientSettings.from(newConf.getPropsWithPrefix(""));
    secret =
        ClusterSettings.from(newConf.getPropsWithPrefix(""))
            .secret()
            .getBytes(StandardCharsets.UTF_8);
    cluster =
        new ClusterMirror(settings.zookeeperQuorum(), settings.connectTimeout(), SESSION, MOST_AGE);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  protected Optional<Rrs> current(String volume, RegionId region) throws AccessControlException {
    try {
      return cluster.rrs(volume, region).map(r -> new Rrs(r.epoch(), r.nodes()));
    } catch (ClusterStoreException old) {
      throw refused(volume, old);
    }
  }

  @Override
  protected boolean isDeleted(String volume, long id) throws AccessControlException {
    try {
      return cluster
          .volume(volume)
          .filter(v -> v.spec().id() == id && v.state() == VolumeRecord.State.DELETING)
          .isPresent();
    } catch (ClusterStoreException old) {
      throw refused(volume, old);
    }
  }

  @Override
  public List<String> membersOf(String file) throws AccessControlException {
    try {
      return members(file)
          .orElseThrow(() -> new AccessControlException("the members of " + file + " are unknown"));
    } catch (ClusterStoreException old) {
      throw refused(file, old);
    }
  }

  @Override
  public List<String> dataNodesOf(String file) {
    try {
      return members(file).orElse(List.of());
    } catch (ClusterStoreException old) {
      LOG.warn("{} may get replicas on any DataNode: {}", file, old.getMessage());
      return List.of();
    }
  }

  private Optional<List<String>> members(String file) throws ClusterStoreException.Unreachable {
    FilePath path = FilePath.parse(file);
    return path == null
        ? Optional.empty()
        : cluster
            .rrs(path.volume(), path.region())
            .map(r -> r.members().stream().map(RrsRecord.Member::dataNode).toList());
  }

  @Override
  protected Optional<String> dataNode(String node) throws AccessControlException {
    try {
      return Optional.ofNullable(cluster.servers().get(node)).map(ServerRecord::dataNode);
    } catch (ClusterStoreException old) {
      throw refused(node, old);
    }
  }

  private static AccessControlException refused(String what, ClusterStoreException old) {
    return new AccessControlException(
        "nothing of " + what + " is changed now: " + old.getMessage());
  }

  @Override
  protected byte[] secret() {
    return secret;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
