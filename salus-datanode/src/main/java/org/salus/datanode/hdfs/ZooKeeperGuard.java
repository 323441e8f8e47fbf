package org.salus.datanode.hdfs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.log.FilePath;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.RrsRecord;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the current RRSs from ZooKeeper. While ZooKeeper does not answer, it allows nothing.
 * Thread-safe.
 */
public final class ZooKeeperGuard extends CertificateGuard implements Configurable {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperGuard.class);
  private static final Duration SESSION = Duration.ofSeconds(15);

  private Configuration conf;
  private ClientSettings settings;
  private byte[] secret;
  private ClusterStore store;

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
    settings = ClientSettings.from(newConf.getPropsWithPrefix(""));
    secret =
        ClusterSettings.from(newConf.getPropsWithPrefix(""))
            .secret()
            .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  protected Optional<Rrs> current(String volume, RegionId region) {
    try {
      if (store().volume(volume).spec().id() != region.volume()) {
        return Optional.empty();
      }
      Optional<Versioned<RrsRecord>> now = store().rrs(volume, region.index());
      return now.map(v -> new Rrs(v.value().epoch(), v.value().nodes()));
    } catch (ClusterStoreException failed) {
      LOG.warn("refusing a change of volume {}: {}", volume, failed.getMessage());
      return Optional.empty();
    }
  }

  @Override
  protected boolean isDeleted(String volume, long id) {
    try {
      VolumeRecord now = store().volume(volume);
      return now.spec().id() == id && now.state() == VolumeRecord.State.DELETING;
    } catch (ClusterStoreException failed) {
      LOG.warn("refusing to delete volume {}: {}", volume, failed.getMessage());
      return false;
    }
  }

  @Override
  public List<String> dataNodesOf(String file) {
    FilePath path = FilePath.parse(file);
    if (path == null) {
      return List.of();
    }
    try {
      return store()
          .rrs(path.volume(), path.region().index())
          .map(v -> v.value().members().stream().map(RrsRecord.Member::dataNode).toList())
          .orElse(List.of());
    } catch (ClusterStoreException failed) {
      LOG.warn("{} may get replicas on any DataNode: {}", file, failed.getMessage());
      return List.of();
    }
  }

  @Override
  protected Optional<String> dataNode(String node) {
    try {
      return Optional.ofNullable(store().servers().get(node)).map(ServerRecord::dataNode);
    } catch (ClusterStoreException failed) {
      LOG.warn(
          "refusing a repair by {}, whose DataNode is not known: {}", node, failed.getMessage());
      return Optional.empty();
    }
  }

  @Override
  protected byte[] secret() {
    return secret;
  }

  /**
   * Returns the connection and makes it at the first change, so that the NameNode can start without
   * ZooKeeper.
   */
  private synchronized ClusterStore store() throws ClusterStoreException {
    if (store == null) {
      store = ClusterStore.connect(settings.zookeeperQuorum(), settings.connectTimeout(), SESSION);
    }
    return store;
  }
}
