package org.salus.datanode.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.salus.datanode.hdfs.replica.VolumeFileException;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * A DataNode's own look at which generation stamps the NameNode has given out. It asks only about a
 * stamp that is newer than those that it knows. Thread-safe.
 */
final class GivenStamps implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;

  private final Configuration conf;

  /** The newest stamp that was given out, as far as is known. */
  private final AtomicLong newest = new AtomicLong();

  /** Guarded by this; null before the first question. */
  private VolumeFiles nameNode;

  GivenStamps(Configuration conf) {
    this.conf = new Configuration(conf);
    // Handlers of the DataNode wait for the answer, and reads need them.
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY, PATIENCE_MILLIS);
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, PATIENCE_MILLIS);
    this.conf.setInt(
        CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    this.conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 2); // the member asks again
  }

  /**
   * Returns if the NameNode has given out the stamp.
   *
   * @throws AccessControlException if it has not
   * @throws IOException if it does not answer
   */
  void require(long stamp) throws IOException {
    if (stamp <= newest.get()) {
      return;
    }
    try {
      // The DataNode asks, and not whoever has called it.
      UserGroupInformation.getLoginUser().doAs((PrivilegedExceptionAction<Void>) () -> ask(stamp));
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the question about stamp " + stamp + " was cut off");
    } catch (VolumeFileException refused) {
      throw refused.kind() == VolumeFileException.Kind.REFUSED
          ? new AccessControlException(refused.getMessage())
          : refused;
    }
    newest.accumulateAndGet(stamp, Math::max);
  }

  private Void ask(long stamp) throws IOException {
    nameNode().requireGivenOut(stamp);
    return null;
  }

  private synchronized VolumeFiles nameNode() throws IOException {
    if (nameNode == null) {
      nameNode = new VolumeFiles(conf);
    }
    return nameNode;
  }

  @Override
  public synchronized void close() throws IOException {
    if (nameNode != null) {
      nameNode.close();
      nameNode = null;
    }
  }
}
