package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.salus.core.path.FilePath;
import org.salus.core.recovery.Equalizing;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaReader;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the writing of an open file whose writers are gone or cannot be trusted (§4.4, phase 2). The
 * caller decides the length and who must have a replica; {@link Equalizing} decides the rest. The
 * file stays open; a caller that has read all of it can have it completed ({@link
 * VolumeFiles#complete}).
 *
 * <p>It works for replicas in any state: being written, left over from a DataNode's restart, under
 * an earlier recovery, finalized. If a call is cut short at any step, the caller repeats the whole
 * call. Calls block. One caller per file at a time; a second one fences the first.
 */
public final class ReplicaRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaRecovery.class);

  /** The time within which DataNodes report to the NameNode that a replica has a new stamp. */
  private static final long REPORTED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** No replica has an older stamp: a DataNode takes every replica that it has. */
  static final long ANY_STAMP = 0;

  private final VolumeFiles files;
  private final Configuration conf;
  private final Loop loop;

  /**
   * The replica of one DataNode.
   *
   * @param dataNode "ip:port" of the DataNode
   * @param length bytes on its disk, or {@link #ABSENT}, or {@link #UNREACHABLE}
   */
  public record ReplicaLength(String dataNode, long length) {
    /** The DataNode has no such replica. */
    public static final long ABSENT = -1;

    /** The DataNode did not answer; its replica is stale from now on. */
    public static final long UNREACHABLE = -2;
  }

  /**
   * The replicas after fencing. They keep their bytes, and the handle can read them on their own
   * machines.
   */
  public record Fenced(BlockHandle handle, List<ReplicaLength> replicas) {}

  /** Checks the replica from which others are to get the bytes that they lack. */
  public interface Check {
    /** Whether the replica is right. It can be read up to the length that is recovered. */
    boolean isValid(ReplicaReader source) throws IOException;
  }

  /** A recovery through these files' NameNode; {@code loop} writes the bytes that replicas lack. */
  public ReplicaRecovery(VolumeFiles files, Configuration conf, Loop loop) {
    this.files = files;
    this.conf = conf;
    this.loop = loop;
  }

  /**
   * Stops every writer of the file on all reachable DataNodes and returns the replicas' lengths. It
   * changes no replica. For a closed file it returns the file's length.
   */
  public Fenced fenceAndMeasure(String path, byte[] certificate) throws IOException {
    BlockHandle handle = located(path);
    if (!handle.open()) {
      return closed(handle);
    }
    LocatedBlock stamped = newStamp(handle, certificate);
    if (stamped == null) {
      return closed(handle);
    }
    List<ReplicaLength> lengths = new ArrayList<>();
    try (StampedReplicas replicas =
        new StampedReplicas(handle, stamped, handle.dataNodes(), conf, loop)) {
      for (StampedReplicas.Replica replica : replicas.all()) {
        lengths.add(new ReplicaLength(replica.name(), replica.length()));
      }
    }
    return new Fenced(handle, lengths);
  }

  private static Fenced closed(BlockHandle handle) {
    return new Fenced(
        handle,
        handle.dataNodes().stream().map(d -> new ReplicaLength(d, handle.length())).toList());
  }

  /**
   * Fences the writers and equalizes the replicas on the required DataNodes as {@link Equalizing}
   * says. A required DataNode without a replica gets one. Replicas on other DataNodes that the
   * NameNode lists may be copied from, and stay as they are. A file that is closed at the goal's
   * length stays as it is, too. To the NameNode nothing has changed: the epoch may never serve. See
   * {@link #count}.
   *
   * @param goal names DataNodes by "ip:port"
   * @param check checks the replica from which others are to get the bytes that they lack
   * @return the required DataNodes that did not answer, or whose replica could not be made equal.
   *     If there is one, the call has not succeeded and is to be repeated
   * @throws VolumeFileException of kind {@code LENGTH} when no replica is valid up to the goal's
   *     length, or the file is closed at another length
   */
  public Set<String> equalize(String path, byte[] certificate, Goal goal, Check check)
      throws IOException {
    BlockHandle handle = located(path);
    LocatedBlock stamped = handle.open() ? newStamp(handle, certificate) : null;
    if (stamped == null) {
      if (handle.length() != goal.length()) {
        throw new VolumeFileException(
            VolumeFileException.Kind.LENGTH,
            path + " is closed at " + handle.length() + " bytes, not " + goal.length());
      }
      return Set.of();
    }
    Equalizing equalizing = new Equalizing(goal, handle.dataNodes());
    BlockHandle asked = files.withReplicas(handle, equalizing.asked());
    try (StampedReplicas replicas =
        new StampedReplicas(asked, stamped, goal.required(), conf, loop)) {
      replicas.answers(equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      List<StampedReplicas.Replica> takePart =
          replicas.all().stream().filter(r -> equalizing.takesPart(r.name())).toList();
      List<StampedReplicas.Replica> whole =
          takePart.stream().filter(r -> equalizing.mayBeWhole(r.name())).toList();
      replicas.truncate(whole, equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      Optional<StampedReplicas.Replica> source = replicas.source(equalizing, goal, check);
      if (source.isEmpty()) {
        return equalizing.silent();
      }
      replicas.truncate(takePart.stream().filter(r -> !whole.contains(r)).toList(), equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      LocatedBlock last = newStamp(asked, certificate);
      if (last == null) {
        throw new IOException(path + " was closed by somebody else during its recovery");
      }
      replicas.equalize(source.get(), last, goal.length(), equalizing);
      return equalizing.behind();
    }
  }

  /**
   * Has the NameNode count the replicas on these DataNodes, which are equal under the stamp, and no
   * others. It waits until the DataNodes have reported the stamp; they do so at once. It changes
   * nothing if the replicas count already, or the file's block is complete.
   *
   * @param dataNodes "ip:port" of the members' DataNodes
   * @throws UnreportedException when one of them has not reported the stamp after 5 s
   */
  public void count(String path, long stamp, List<String> dataNodes, byte[] certificate)
      throws IOException {
    long end = System.nanoTime() + REPORTED_NANOS;
    for (; ; ) {
      BlockHandle handle = located(path);
      if (!handle.open()
          || handle.located().getBlock().getGenerationStamp() >= stamp
          || files.isBlockComplete(path)) {
        return;
      }
      try {
        count(handle, stamp, dataNodes, certificate);
        return;
      } catch (UnreportedException notYet) {
        if (System.nanoTime() > end) {
          throw notYet;
        }
      } catch (IOException failed) {
        if (located(path).located().getBlock().getGenerationStamp() < stamp) {
          throw failed;
        }
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted while DataNodes report their replicas");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Counts once. The call does not tell the length, because the NameNode would never let it shrink
   * again. The length comes when the file is completed.
   */
  private void count(BlockHandle handle, long stamp, List<String> dataNodes, byte[] certificate)
      throws IOException {
    List<DatanodeID> nodes = new ArrayList<>();
    List<String> storages = new ArrayList<>();
    for (String dataNode : dataNodes) {
      int index = handle.indexOf(dataNode);
      if (index < 0) {
        throw UnreportedException.of(handle.path(), stamp, Set.of(dataNode));
      }
      nodes.add(handle.located().getLocations()[index]);
      storages.add(handle.located().getStorageIDs()[index]);
    }
    ExtendedBlock block = new ExtendedBlock(handle.located().getBlock());
    block.setGenerationStamp(stamp);
    block.setNumBytes(0);
    ClientProtocol nameNode = files.nameNode();
    Certified.call(
        certificate,
        () -> {
          nameNode.updatePipeline(
              FilePath.holder(handle.path()),
              handle.located().getBlock(),
              block,
              nodes.toArray(new DatanodeID[0]),
              storages.toArray(new String[0]));
          return null;
        });
  }

  private BlockHandle located(String path) throws IOException {
    return files
        .locate(path)
        .orElseThrow(
            () ->
                new VolumeFileException(
                    VolumeFileException.Kind.NOT_FOUND, path + ": no such file, or no block"));
  }

  /**
   * Returns the block under a new stamp, or null when the block is committed already and only the
   * file is left to close.
   */
  private LocatedBlock newStamp(BlockHandle handle, byte[] certificate) throws IOException {
    try {
      return Certified.call(
          certificate,
          () ->
              files
                  .nameNode()
                  .updateBlockForPipeline(
                      handle.located().getBlock(), FilePath.holder(handle.path())));
    } catch (VolumeFileException e) {
      throw e;
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("under construction")) {
        LOG.info("{} is committed already: {}", handle, e.getMessage());
        return null;
      }
      throw e;
    }
  }
}
