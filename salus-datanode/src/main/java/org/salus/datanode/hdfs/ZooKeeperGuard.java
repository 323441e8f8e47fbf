package org.salus.datanode.hdfs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterMirror;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;

/**
 * Knows volumes and servers from a copy of ZooKeeper's records. It never waits for ZooKeeper,
 * because all of HDFS would wait with it. When ZooKeeper has not been heard for {@link #MOST_AGE},
 * it allows nothing for which that copy counts: new volumes, deleted ones, and repairs.
 * Thread-safe.
 */
public final class ZooKeeperGuard extends CertificateGuard implements Configurable {
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
        ClusterMirror.start(
            settings.zookeeperQuorum(), settings.connectTimeout(), SESSION, MOST_AGE);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  protected boolean isActive(String volume, long id) throws AccessControlException {
    return is(VolumeRecord.State.ACTIVE, volume, id);
  }

  @Override
  protected boolean isDeleted(String volume, long id) throws AccessControlException {
    return is(VolumeRecord.State.DELETING, volume, id);
  }

  private boolean is(VolumeRecord.State state, String volume, long id)
      throws AccessControlException {
    try {
      return cluster
          .volume(volume)
          .filter(v -> v.spec().id() == id && v.state() == state)
          .isPresent();
    } catch (ClusterStoreException old) {
      throw refused(volume, old);
    }
  }

  @Override
  protected Optional<String> dataNode(String node) throws AccessControlException {
    try {
      return Optional.ofNullable(cluster.servers().get(node))
          .filter(s -> s.isSigned(node, secret))
          .map(ServerRecord::dataNode);
    } catch (ClusterStoreException old) {
      throw refused(node, old);
    }
  }

  private static AccessControlException refused(String what, ClusterStoreException old) {
    return Refusals.ordinary("nothing of " + what + " is changed now: " + old.getMessage());
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
