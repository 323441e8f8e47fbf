package org.salus.datanode.hdfs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.recovery.StampQuestion;
import org.salus.datanode.hdfs.replica.VolumeFileException;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * A DataNode's own look at which generation stamps the NameNode has given out. It asks only about a
 * stamp that is newer than those that it knows. Thread-safe.
 */
final class GivenStamps implements AutoCloseable {
  private final Configuration conf;

  /** The newest stamp that was given out, as far as is known. */
  private final AtomicLong newest = new AtomicLong();

  /** Guarded by this; null before the first question. */
  private VolumeFiles nameNode;

  GivenStamps(Configuration conf) {
    this.conf = conf;
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
      nameNode().ask(GuardedPaths.ROOT, new StampQuestion(stamp).encode());
    } catch (VolumeFileException refused) {
      throw refused.kind() == VolumeFileException.Kind.REFUSED
          ? new AccessControlException(refused.getMessage())
          : refused;
    }
    newest.accumulateAndGet(stamp, Math::max);
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
