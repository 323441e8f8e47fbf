package org.salus.datanode.hdfs.replica;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
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
import org.salus.core.path.FilePath;
import org.salus.core.recovery.Equalizing;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.netty.PacketStream;
import org.salus.datanode.hdfs.replica.ReplicaRecovery.ReplicaLength;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file's replicas under one stamp of a recovery: fenced, measured, cut and made equal. It asks
 * the DataNodes; what is to be done, {@link Equalizing} decides.
 */
final class StampedReplicas implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StampedReplicas.class);
  private static final int COPY = 1 << 20;

  private final BlockHandle handle;
  private final LocatedBlock stamped;
  private final List<String> required;
  private final Configuration conf;
  private final Loop loop;
  private final List<Replica> replicas = new ArrayList<>();

  /** The replica of one DataNode. */
  static final class Replica {
    private final int index;
    private final DatanodeInfo dataNode;
    private InterDatanodeProtocol proxy;
    private long length = ReplicaLength.UNREACHABLE;

    /** HDFS's id of the storage that has the replica, or is to get it. */
    private String storage;

    /** Writes the bytes that the replica lacks; null before that. */
    private ReplicaWriter out;

    private Replica(int index, DatanodeInfo dataNode, String storage) {
      this.index = index;
      this.dataNode = dataNode;
      this.storage = storage;
    }

    /** "ip:port" of its DataNode. */
    String name() {
      return dataNode.getXferAddr();
    }

    /** See {@link ReplicaLength#length}. */
    long length() {
      return length;
    }

    private void close() {
      if (out != null) {
        out.close();
        out = null;
      }
    }
  }

  private interface Step {
    void take(Replica replica) throws IOException;
  }

  /**
   * Fences the replicas on the required DataNodes, and measures the others.
   *
   * @param required the DataNodes whose replicas are changed. They may also have one that a
   *     recovery left behind
   */
  StampedReplicas(
      BlockHandle handle,
      LocatedBlock stamped,
      List<String> required,
      Configuration conf,
      Loop loop)
      throws IOException {
    this.handle = handle;
    this.stamped = stamped;
    this.required = required;
    this.conf = conf;
    this.loop = loop;
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

  /** The replicas of all DataNodes of the file. */
  List<Replica> all() {
    return replicas;
  }

  /**
   * Takes the step on all replicas in parallel, because each waits for a DataNode's disk. When all
   * are done, it throws the first failure.
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
      block.setGenerationStamp(ReplicaRecovery.ANY_STAMP);
      replica.proxy = DataNodeRpc.recovery(replica.dataNode, conf);
      ReplicaRecoveryInfo info =
          Repeatable.call(
              () ->
                  replica.proxy.initReplicaRecovery(
                      new RecoveringBlock(block, nodes, stamped.getBlock().getGenerationStamp())));
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

  /**
   * Returns the replica from which the others are equalized. If there is none, because some could
   * not be read, their DataNodes have failed.
   */
  Optional<Replica> source(Equalizing equalizing, Goal goal, ReplicaRecovery.Check check)
      throws IOException {
    List<String> unreadable = new ArrayList<>();
    for (String name : equalizing.sources()) {
      Replica replica =
          replicas.stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
      try (ReplicaReader reader = reader(replica, goal.length())) {
        if (equalizing.isKnown() || check.isValid(reader)) {
          return Optional.of(replica);
        }
      } catch (IOException failed) {
        LOG.warn("{} is not read from {}: {}", handle, name, failed.getMessage());
        unreadable.add(name);
      }
    }
    equalizing.unread(unreadable);
    if (!equalizing.silent().isEmpty()) {
      return Optional.empty();
    }
    String none = handle + ": no replica is valid up to " + goal.length();
    throw equalizing.isRefuted()
        ? new VolumeFileException(VolumeFileException.Kind.LENGTH, none)
        : new IOException(none + " of those that answer");
  }

  /**
   * Finalizes replicas under this stamp and cuts those that are to be cut. A replica that fails is
   * left out.
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
   * fails is left out, except the source. The source is reopened when no other replica reads it any
   * more.
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
   * Whether the replica needs bytes of the source. A last chunk that is not full is sent again, so
   * that its checksum is replaced.
   */
  private boolean lacks(Replica replica, long validLength) {
    return replica.length < validLength || replica.length % PacketStream.CHUNK != 0;
  }

  private void topUp(Replica replica, Replica source, LocatedBlock last, long validLength)
      throws IOException {
    long have = Math.max(replica.length, 0);
    byte[] lastChunk = new byte[(int) (have % PacketStream.CHUNK)];
    try (ReplicaReader reader = lacks(replica, validLength) ? reader(source, validLength) : null) {
      readFully(reader, ByteBuffer.wrap(lastChunk), have - lastChunk.length);
      replica.out = ReplicaWriter.start(setup(replica, last), conf, loop, have, lastChunk);
      for (long at = have; at < validLength; ) {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY, validLength - at));
        readFully(reader, buffer, at);
        at = await(replica.out.append(List.of(buffer.flip()), false));
      }
    }
  }

  /** Returns a reader of a replica that was finalized under this stamp, or that stays as it is. */
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
        FilePath.holder(handle.path()),
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
