package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Has HDFS make a bad replica of a finished file anew. HDFS drops a replica that is reported as bad
 * once there are enough others, and puts the next one on a DataNode that has none, where possible a
 * member's. So the file is to have one replica fewer until the bad one is gone: then its place is
 * free, however few DataNodes there are. Every step may be done again. Calls block for up to
 * minutes; for one thread at a time.
 */
public final class ReplicaRepair {
  private static final int REPLICAS = 3;
  private static final int FEWEST = 2;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Longer than a repair leaves a file with one replica fewer. */
  private static final long CUT_SHORT_NANOS = 2 * WAIT_NANOS;

  private final VolumeFiles files;
  private final Configuration conf;
  private final LongSupplier nanoTime;

  /** Files that were seen with one replica fewer, and since when. */
  private final Map<String, Long> lacking = new TreeMap<>();

  public ReplicaRepair(VolumeFiles files, Configuration conf) {
    this(files, conf, System::nanoTime);
  }

  ReplicaRepair(VolumeFiles files, Configuration conf, LongSupplier nanoTime) {
    this.files = files;
    this.conf = conf;
    this.nanoTime = nanoTime;
  }

  /** A question whose answer changes with time. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Replaces a replica, and returns when the file has all its replicas again. The caller has seen
   * that another one is good.
   *
   * @param dataNode "ip:port" of the DataNode with the bad replica
   * @param permit a {@link org.salus.core.log.RepairPermit}
   */
  public void replace(BlockHandle handle, String dataNode, byte[] permit) throws IOException {
    try {
      askToDrop(handle, dataNode, permit);
      if (!await(() -> !LocalReplicaReader.isCounted(handle, dataNode, files, conf))) {
        throw new IOException(dataNode + " has not dropped its bad replica of " + handle.path());
      }
    } finally {
      setReplication(handle.path(), REPLICAS, permit);
    }
    if (!await(() -> listed(handle) >= REPLICAS)) {
      throw new IOException(handle.path() + " has " + listed(handle) + " replicas");
    }
  }

  /** What is only reported as bad lasts as long as the file is to have it. */
  void askToDrop(BlockHandle handle, String dataNode, byte[] permit) throws IOException {
    reportBad(handle, dataNode, permit);
    setReplication(handle.path(), FEWEST, permit);
    reportBad(handle, dataNode, permit);
  }

  /** Asks for all replicas again, where a repair that was cut short has left one fewer. */
  public void restoreReplication(String path, byte[] permit) throws IOException {
    setReplication(path, REPLICAS, permit);
  }

  /**
   * Whether a repair was cut short: a file that is to have one replica fewer may be under repair by
   * another server, and is not to be disturbed, for its place would be filled before it is free. So
   * this is true only for one that was seen like that for longer than a repair takes.
   */
  public boolean wasCutShort(String path) throws IOException {
    int replication = files.replication(path);
    if (replication == 0 || replication >= REPLICAS) {
      lacking.remove(path);
      return false;
    }
    long now = nanoTime.getAsLong();
    Long since = lacking.putIfAbsent(path, now);
    return since != null && now - since > CUT_SHORT_NANOS;
  }

  /**
   * Of these files, those that had one replica fewer when they were looked at last; the others are
   * forgotten.
   */
  public Set<String> lacking(Collection<String> paths) {
    lacking.keySet().retainAll(paths);
    return Set.copyOf(lacking.keySet());
  }

  private void reportBad(BlockHandle handle, String dataNode, byte[] permit) throws IOException {
    DatanodeInfo info = files.liveDataNode(dataNode);
    int index = handle.indexOf(dataNode);
    String storage = index < 0 ? "" : handle.located().getStorageIDs()[index];
    LocatedBlock bad =
        new LocatedBlock(
            handle.located().getBlock(),
            new DatanodeInfo[] {info},
            new String[] {storage},
            new StorageType[] {StorageType.DISK});
    Certified.call(
        permit,
        () -> {
          files.nameNode().reportBadBlocks(new LocatedBlock[] {bad});
          return null;
        });
  }

  private void setReplication(String path, int replicas, byte[] permit) throws IOException {
    Certified.call(permit, () -> files.nameNode().setReplication(path, (short) replicas));
  }

  /** Good replicas that the NameNode knows; those of a deleted file are as many as can be. */
  private int listed(BlockHandle handle) throws IOException {
    return files.locate(handle.path()).map(h -> h.dataNodes().size()).orElse(REPLICAS);
  }

  private static boolean await(Condition condition) throws IOException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
