package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log segment as a member reads it: from its own replica, and where that is missing or not
 * valid from another one. Reads may come from any thread; {@link #turn} from one, while nobody else
 * reads.
 */
final class SegmentReplicas implements LogReader.Source, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentReplicas.class);

  private final RegionFiles files;
  private final BlockHandle handle;

  /** DataNodes whose replica was not tried. */
  private final Deque<String> others = new ArrayDeque<>();

  private volatile ReplicaReader current;
  private volatile String dataNode;

  /** Whether some replica could not be read, for whatever reason: nobody knows what it has. */
  private volatile boolean unsure;

  private SegmentReplicas(RegionFiles files, BlockHandle handle) throws IOException {
    this.files = files;
    this.handle = handle;
    this.current = files.openOwn(handle).orElse(null);
    this.dataNode = files.own();
  }

  /** Opens the own replica, or any other where there is none. */
  static SegmentReplicas of(RegionFiles files, long segment) throws IOException {
    SegmentReplicas replicas = ownOnly(files, files.handle(Kind.LOG, segment));
    replicas.others.addAll(files.othersOf(replicas.handle));
    if (replicas.current == null) {
      replicas.turn();
    }
    return replicas;
  }

  /** Opens the own replica, if there is one, and will read no other. */
  static SegmentReplicas ownOnly(RegionFiles files, BlockHandle handle) throws IOException {
    return new SegmentReplicas(files, handle);
  }

  /** Whether there is a replica to read from. */
  boolean exists() {
    return current != null;
  }

  /** Whether the file was complete when this was opened. */
  boolean isComplete() {
    return !handle.open();
  }

  /** Whether one of the replicas that were tried could not be read. */
  boolean isUnsure() {
    return unsure;
  }

  /** Where the replica is that is read, or was last. */
  String dataNode() {
    return dataNode;
  }

  /** Bytes in the replica that is read, 0 if there is none. */
  long length() throws IOException {
    return current == null ? 0 : current.length();
  }

  /** Fails when the replica that is read was written by another version of Salus. */
  void requireKnownFormat() throws IOException {
    ByteBuffer prefix = ByteBuffer.allocate(LogRecord.PREFIX);
    int format = read(0, prefix) ? LogRecord.format(prefix.flip()) : -1;
    if (format >= 0 && format != LogRecord.FORMAT) {
      throw new IOException(
          handle.path()
              + " was written in format "
              + format
              + ", this program reads "
              + LogRecord.FORMAT
              + "; use the version of Salus that wrote it");
    }
  }

  /** Goes on to the next replica; false when there is none. */
  boolean turn() throws IOException {
    close();
    while (!others.isEmpty()) {
      String next = others.poll();
      try {
        current = files.openOther(handle, next);
        dataNode = next;
        LOG.info("{} is read from {}", handle.path(), next);
        return true;
      } catch (IOException unreachable) {
        LOG.warn("{} cannot be read from {}: {}", handle.path(), next, unreachable.getMessage());
        unsure = true;
      }
    }
    return false;
  }

  @Override
  public boolean read(long position, ByteBuffer dst) {
    ReplicaReader from = current;
    try {
      return from != null && fill(from, position, dst);
    } catch (IOException e) {
      unsure = true;
      return false; // an expected fault: whoever reads turns to another replica
    }
  }

  /** As {@link #read}, without waiting: false where that cannot be. */
  boolean readAtOnce(long position, ByteBuffer dst) {
    ReplicaReader from = current;
    return from != null && from.readAtOnce(dst, position);
  }

  private static boolean fill(ReplicaReader from, long position, ByteBuffer dst)
      throws IOException {
    for (long at = position; dst.hasRemaining(); ) {
      int n = from.read(dst, at);
      if (n <= 0) {
        return false;
      }
      at += n;
    }
    return true;
  }

  /** One replica alone; what of it cannot be read is as what it does not have. */
  static LogReader.Source only(ReplicaReader replica) {
    return (position, dst) -> {
      try {
        return fill(replica, position, dst);
      } catch (IOException unreadable) {
        return false;
      }
    };
  }

  @Override
  public void close() throws IOException {
    ReplicaReader was = current;
    current = null;
    if (was != null) {
      was.close();
    }
  }
}
