package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.LogReader;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.BlockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Replicas of one segment on other DataNodes than the own one, each opened when something is read of it. For one thread. */
final class OtherReplicas implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OtherReplicas.class);

  private final RegionFiles files;
  private final BlockHandle handle;
  private final Runnable needed;
  private final Map<String, LogReader.Source> open = new TreeMap<>();
  private final Map<String, ReplicaReader> readers = new TreeMap<>();

  /** @param needed told each time when one is opened */
  OtherReplicas(RegionFiles files, BlockHandle handle, Runnable needed) {
    this.files = files;
    this.handle = handle;
    this.needed = needed;
  }

  /** One for each DataNode, those of members first; what cannot be read is as what is not there. */
  List<LogReader.Source> sources() {
    return files.othersOf(handle).stream()
        .map(dataNode -> (LogReader.Source) (position, into) -> open.computeIfAbsent(dataNode, this::open).read(position, into)).toList();
  }

  private LogReader.Source open(String dataNode) {
    needed.run();
    try {
      ReplicaReader reader = files.openOther(handle, dataNode);
      readers.put(dataNode, reader);
      LOG.warn("{} is read from {}", handle.path(), dataNode);
      return SegmentReplicas.only(reader);
    } catch (IOException unreachable) {
      LOG.warn("{} cannot be read from {}: {}", handle.path(), dataNode, unreachable.getMessage());
      return (position, into) -> false;
    }
  }

  @Override
  public void close() throws IOException {
    for (ReplicaReader r : readers.values()) {
      r.close();
    }
  }
}
