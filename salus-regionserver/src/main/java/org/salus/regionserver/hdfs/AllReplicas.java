package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.log.LogReader;
import org.salus.core.path.FilePath.Kind;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All replicas of one segment. A replica on another DataNode is opened at its first read.
 * Thread-safe.
 */
final class AllReplicas implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AllReplicas.class);

  private final RegionFiles files;
  private final BlockHandle handle;
  private final Runnable damaged;
  private final List<LogReader.Source> sources = new ArrayList<>();
  private final List<ReplicaReader> open = new ArrayList<>();
  private boolean closed;

  /**
   * @param own reads the own replica
   * @param damage is told whenever another replica than the own is read
   */
  AllReplicas(RegionFiles files, long segment, ReadAssembly.Segments own, Damage damage)
      throws IOException {
    this.files = files;
    this.handle = files.handle(Kind.LOG, segment);
    this.damaged = () -> damage.noticed(Kind.LOG, segment);
    sources.add((position, into) -> own.read(segment, position, into));
    files.othersOf(handle).forEach(dataNode -> sources.add(new Other(dataNode)));
  }

  /**
   * The own replica first, then those of members, then the rest. A replica that cannot be read
   * counts as absent.
   */
  List<LogReader.Source> sources() {
    return Collections.unmodifiableList(sources);
  }

  private final class Other implements LogReader.Source {
    private final String dataNode;
    private LogReader.Source replica;

    Other(String dataNode) {
      this.dataNode = dataNode;
    }

    @Override
    public boolean read(long position, ByteBuffer into) {
      damaged.run();
      return replica().read(position, into);
    }

    private LogReader.Source replica() {
      synchronized (AllReplicas.this) {
        replica = replica == null ? open(dataNode) : replica;
        return replica;
      }
    }
  }

  private LogReader.Source open(String dataNode) {
    try {
      if (closed) {
        throw new IOException("it is needed no more");
      }
      ReplicaReader reader = files.openOther(handle, dataNode);
      open.add(reader);
      LOG.warn("{} is read from {}", handle.path(), dataNode);
      return SegmentReplicas.only(reader);
    } catch (IOException unreachable) {
      LOG.warn("{} cannot be read from {}: {}", handle.path(), dataNode, unreachable.getMessage());
      return (position, into) -> false;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    for (ReplicaReader r : open) {
      r.close();
    }
  }
}
