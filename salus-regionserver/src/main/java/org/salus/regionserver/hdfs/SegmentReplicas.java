package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.path.FilePath.Kind;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log segment as a member reads it: from its own replica, or from another one where its own is
 * missing or not valid. Any thread may read. One thread may call {@link #turn} while no other
 * reads.
 */
final class SegmentReplicas implements LogReader.Source, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentReplicas.class);

  private final RegionFiles files;
  private final BlockHandle handle;

  /** The DataNodes whose replicas were not tried yet. */
  private final Deque<String> others = new ArrayDeque<>();

  private volatile ReplicaReader current;
  private volatile String dataNode;

  /** Whether some replica could not be read, so that its content is unknown. */
  private volatile boolean unsure;

  private SegmentReplicas(RegionFiles files, BlockHandle handle) throws IOException {
    this.files = files;
    this.handle = handle;
    this.current = files.openOwn(handle).orElse(null);
    this.dataNode = files.own();
  }

  /** Opens the own replica, or any other one if there is no own one. */
  static SegmentReplicas of(RegionFiles files, long segment) throws IOException {
    SegmentReplicas replicas = ownOnly(files, files.handle(Kind.LOG, segment));
    replicas.others.addAll(files.othersOf(replicas.handle));
    if (replicas.current == null) {
      replicas.turn();
    }
    return replicas;
  }

  /** Opens the own replica if there is one, and never reads another. */
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
  @Override
  public boolean isUnsure() {
    return unsure;
  }

  /** The DataNode of the replica that is read now, or was read last. */
  String dataNode() {
    return dataNode;
  }

  /** The length in bytes of the replica that is read now, or 0 if there is none. */
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

  /** Turns to the next replica; returns false when there is none. */
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
      return false; // an expected fault: the caller turns to another replica
    }
  }

  /** Reads like {@link #read}, but also returns false where it would have to wait. */
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

  /** Reads one replica only. Bytes that cannot be read count as absent. */
  static Single only(ReplicaReader replica) {
    return new Single(replica);
  }

  /** One replica. Not thread-safe. */
  static final class Single implements LogReader.Source {
    private final ReplicaReader replica;
    private boolean unsure;

    private Single(ReplicaReader replica) {
      this.replica = replica;
    }

    @Override
    public boolean read(long position, ByteBuffer dst) {
      try {
        return fill(replica, position, dst);
      } catch (IOException unreadable) {
        unsure = true;
        return false;
      }
    }

    @Override
    public boolean isUnsure() {
      return unsure;
    }
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
