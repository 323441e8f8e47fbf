package org.salus.datanode.hdfs.replica;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.recovery.Equalizing;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.netty.PacketStream;
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
  private static final int COPY = 1 << 20;

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
    try (Session session = new Session(handle, stamped, handle.dataNodes())) {
      for (Replica replica : session.replicas) {
        lengths.add(new ReplicaLength(replica.dataNode.getXferAddr(), replica.length));
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
    try (Session session = new Session(asked, stamped, goal.required())) {
      session.answers(equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      List<Replica> takePart =
          session.replicas.stream().filter(r -> equalizing.takesPart(r.name())).toList();
      List<Replica> whole = takePart.stream().filter(r -> equalizing.mayBeWhole(r.name())).toList();
      session.truncate(whole, equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      Replica source = session.source(equalizing, goal, check);
      session.truncate(takePart.stream().filter(r -> !whole.contains(r)).toList(), equalizing);
      if (!equalizing.silent().isEmpty()) {
        return equalizing.silent();
      }
      LocatedBlock last = newStamp(asked, certificate);
      if (last == null) {
        throw new IOException(path + " was closed by somebody else during its recovery");
      }
      session.equalize(source, last, goal.length(), equalizing);
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
              VolumeFiles.leaseHolder(handle.path()),
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
                      handle.located().getBlock(), VolumeFiles.leaseHolder(handle.path())));
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

  private static final class Replica {
    final int index;
    final DatanodeInfo dataNode;
    InterDatanodeProtocol proxy;
    long length = ReplicaLength.UNREACHABLE;

    /** HDFS's id of the storage that has the replica, or is to get it. */
    String storage;

    /** Writes the bytes that the replica lacks; null before that. */
    ReplicaWriter out;

    Replica(int index, DatanodeInfo dataNode, String storage) {
      this.index = index;
      this.dataNode = dataNode;
      this.storage = storage;
    }

    String name() {
      return dataNode.getXferAddr();
    }

    void close() {
      if (out != null) {
        out.close();
        out = null;
      }
    }
  }

  private interface Step {
    void take(Replica replica) throws IOException;
  }

  /** The replicas under one stamp of the recovery. */
  private final class Session implements AutoCloseable {
    final BlockHandle handle;
    final LocatedBlock stamped;
    final List<String> required;
    final List<Replica> replicas = new ArrayList<>();

    /**
     * @param required the DataNodes whose replicas are changed. They may also have one that a
     *     recovery left behind
     */
    Session(BlockHandle handle, LocatedBlock stamped, List<String> required) throws IOException {
      this.handle = handle;
      this.stamped = stamped;
      this.required = required;
      DatanodeInfo[] nodes = handle.located().getLocations();
      for (int i = 0; i < nodes.length; i++) {
        replicas.add(new Replica(i, nodes[i], handle.located().getStorageIDs()[i]));
      }
      onAll(
          replicas,
          replica -> {
            if (required.contains(replica.name())) {
              fence(replica, nodes);
            } else {
              measure(replica);
            }
          });
    }

    /**
     * Takes the step on all replicas in parallel, because each waits for a DataNode's disk. When
     * all are done, it throws the first failure.
     */
    private void onAll(List<Replica> which, Step step) throws IOException {
      ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, which.size()));
      try {
        List<Callable<Void>> all = new ArrayList<>();
        which.forEach(
            replica ->
                all.add(
                    () -> {
                      step.take(replica);
                      return null;
                    }));
        for (Future<Void> one : threads.invokeAll(all)) {
          one.get();
        }
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("the recovery of " + handle + " was interrupted");
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof IOException e) {
          throw e;
        }
        throw new IllegalStateException(failed.getCause());
      } finally {
        threads.shutdown();
      }
    }

    private void fence(Replica replica, DatanodeInfo[] nodes) {
      try {
        ExtendedBlock block = new ExtendedBlock(handle.located().getBlock());
        block.setGenerationStamp(ANY_STAMP);
        replica.proxy = DataNodeRpc.recovery(replica.dataNode, conf);
        ReplicaRecoveryInfo info =
            Repeatable.call(
                () ->
                    replica.proxy.initReplicaRecovery(
                        new RecoveringBlock(
                            block, nodes, stamped.getBlock().getGenerationStamp())));
        replica.length = info == null ? ReplicaLength.ABSENT : info.getNumBytes();
        LOG.info("Fenced {} on {}: {}", handle, replica.dataNode.getXferAddr(), info);
      } catch (IOException e) {
        LOG.warn("Cannot fence {} on {}: {}", handle, replica.dataNode.getXferAddr(), e.toString());
      }
    }

    /** Finds out how long a replica is that stays as it is. */
    private void measure(Replica replica) {
      try {
        long visible = RemoteReplicaReader.of(handle, replica.index, conf).length();
        replica.length = visible < 0 ? ReplicaLength.UNREACHABLE : visible; // since a restart
      } catch (RemoteException e) {
        boolean isAbsent = e.getClassName().equals(ReplicaNotFoundException.class.getName());
        replica.length = isAbsent ? ReplicaLength.ABSENT : ReplicaLength.UNREACHABLE;
      } catch (IOException e) {
        LOG.info("{} is not read from {}: {}", handle, replica.name(), e.toString());
      }
    }

    /** Hands on which DataNodes have answered. */
    void answers(Equalizing equalizing) {
      replicas.stream()
          .filter(r -> r.length != ReplicaLength.UNREACHABLE)
          .forEach(r -> equalizing.answered(r.name(), r.length));
    }

    /** Returns the replica from which the others are equalized. */
    Replica source(Equalizing equalizing, Goal goal, Check check) throws IOException {
      for (String name : equalizing.sources()) {
        Replica replica =
            replicas.stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
        try (ReplicaReader reader = reader(replica, goal.length())) {
          if (equalizing.isKnown() || check.isValid(reader)) {
            return replica;
          }
        }
      }
      String none = handle + ": no replica is valid up to " + goal.length();
      throw equalizing.isRefuted()
          ? new VolumeFileException(VolumeFileException.Kind.LENGTH, none)
          : new IOException(none + " of those that answer");
    }

    /**
     * Finalizes replicas under this stamp and cuts those that are to be cut. A replica that fails
     * is left out.
     */
    void truncate(List<Replica> which, Equalizing equalizing) throws IOException {
      onAll(
          which,
          replica -> {
            if (replica.length < 0) {
              return;
            }
            if (!finish(replica, Math.min(replica.length, equalizing.end(replica.name())))) {
              replica.length = ReplicaLength.UNREACHABLE;
            }
          });
      for (Replica replica : which) {
        if (replica.length == ReplicaLength.UNREACHABLE) {
          equalizing.failed(replica.name());
        } else {
          equalizing.answered(replica.name(), replica.length);
        }
      }
    }

    /** Finalizes a replica at a length. Returns whether its DataNode has done it. */
    private boolean finish(Replica replica, long length) {
      ExtendedBlock block = handle.blockOfLength(replica.length);
      try {
        replica.storage =
            replica.proxy.updateReplicaUnderRecovery(
                block, stamped.getBlock().getGenerationStamp(), block.getBlockId(), length);
        replica.length = length;
        return true;
      } catch (IOException e) {
        LOG.warn(
            "Cannot cut {} on {} to {}: {}",
            handle,
            replica.dataNode.getXferAddr(),
            length,
            e.toString());
        return false;
      }
    }

    /**
     * Brings the replicas that take part to the same length and to the last stamp. A replica that
     * fails is left out, except the source. The source is reopened when no other replica reads it
     * any more.
     */
    void equalize(Replica source, LocatedBlock last, long validLength, Equalizing equalizing)
        throws IOException {
      List<Replica> reached =
          replicas.stream()
              .filter(r -> r.length != ReplicaLength.UNREACHABLE)
              .filter(r -> equalizing.takesPart(r.name()))
              .toList();
      boolean isRead = reached.stream().anyMatch(r -> lacks(r, validLength));
      Step equalize =
          orLeftOut(
              source,
              replica -> {
                topUp(replica, source, last, validLength);
                await(replica.out.finish(true));
                synchronized (equalizing) {
                  equalizing.equalized(replica.name());
                }
              });
      onAll(reached.stream().filter(r -> !isRead || r != source).toList(), equalize);
      if (isRead && reached.contains(source)) {
        equalize.take(source);
      }
    }

    private Step orLeftOut(Replica source, Step step) {
      return replica -> {
        try {
          step.take(replica);
        } catch (IOException e) {
          if (replica == source) {
            throw e;
          }
          LOG.warn(
              "{}: goes on without the replica on {}", handle, replica.dataNode.getXferAddr(), e);
          replica.close();
        }
      };
    }

    /**
     * Whether the replica needs bytes of the source. A last chunk that is not full is sent again,
     * so that its checksum is replaced.
     */
    private boolean lacks(Replica replica, long validLength) {
      return replica.length < validLength || replica.length % PacketStream.CHUNK != 0;
    }

    private void topUp(Replica replica, Replica source, LocatedBlock last, long validLength)
        throws IOException {
      long have = Math.max(replica.length, 0);
      byte[] lastChunk = new byte[(int) (have % PacketStream.CHUNK)];
      try (ReplicaReader reader =
          lacks(replica, validLength) ? reader(source, validLength) : null) {
        readFully(reader, ByteBuffer.wrap(lastChunk), have - lastChunk.length);
        replica.out = new ReplicaWriter(setup(replica, last), conf, loop, have, lastChunk);
        for (long at = have; at < validLength; ) {
          ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY, validLength - at));
          readFully(reader, buffer, at);
          at = await(replica.out.append(List.of(buffer.flip()), false));
        }
      }
    }

    /**
     * Returns a reader of a replica that was finalized under this stamp, or that stays as it is.
     */
    private ReplicaReader reader(Replica source, long length) {
      boolean takesPart = required.contains(source.name());
      BlockHandle readable =
          new BlockHandle(
              handle.path(),
              handle.fileId(),
              handle.blockSize(),
              true,
              new LocatedBlock(
                  takesPart ? stampedBlock(length) : handle.blockOfLength(length),
                  handle.located().getLocations()));
      readable.located().setBlockToken(stamped.getBlockToken());
      return RemoteReplicaReader.ofFinalized(readable, source.index, conf);
    }

    private long await(CompletableFuture<Long> length) throws IOException {
      try {
        return length.get();
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("the recovery of " + handle + " was interrupted");
      } catch (ExecutionException failed) {
        throw new IOException(failed.getCause().getMessage(), failed.getCause());
      }
    }

    private ExtendedBlock stampedBlock(long length) {
      ExtendedBlock block = handle.blockOfLength(length);
      block.setGenerationStamp(stamped.getBlock().getGenerationStamp());
      return block;
    }

    /**
     * Returns the request for the last stamp. It creates an absent replica and reopens the others.
     */
    private PacketStream.Setup setup(Replica replica, LocatedBlock last) {
      boolean absent = replica.length == ReplicaLength.ABSENT;
      ExtendedBlock block =
          absent ? new ExtendedBlock(last.getBlock()) : stampedBlock(replica.length);
      if (absent) {
        block.setNumBytes(handle.blockSize());
      }
      return new PacketStream.Setup(
          block,
          last.getBlockToken(),
          replica.dataNode,
          handle.located().getStorageTypes()[replica.index],
          replica.storage,
          VolumeFiles.leaseHolder(handle.path()),
          absent
              ? BlockConstructionStage.PIPELINE_SETUP_CREATE
              : BlockConstructionStage.PIPELINE_SETUP_APPEND_RECOVERY,
          absent ? 0 : replica.length,
          absent ? 0 : last.getBlock().getGenerationStamp());
    }

    @Override
    public void close() {
      for (Replica replica : replicas) {
        replica.close();
        if (replica.proxy != null) {
          RPC.stopProxy(replica.proxy);
        }
      }
    }
  }

  private static void readFully(ReplicaReader reader, ByteBuffer into, long position)
      throws IOException {
    long start = position - into.position();
    while (into.hasRemaining()) {
      if (reader.read(into, start + into.position()) < 0) {
        throw new EOFException("replica ends before " + (start + into.limit()));
      }
    }
  }
}
