package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.log.FilePath;
import org.salus.core.log.FilePath.Kind;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.netty.Loop;

/**
 * A region's files as one member sees them.
 *
 * @param dataNodes "ip:port" of each member's DataNode in chain order
 * @param place this member's in the chain
 * @param loop writes to the own DataNode
 */
record RegionFiles(
    VolumeSpec spec,
    RegionId region,
    List<String> dataNodes,
    int place,
    VolumeFiles files,
    Configuration conf,
    Loop loop) {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** So long at a time a thread waits for a file that is not there. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  String own() {
    return dataNodes.get(place);
  }

  String directory() {
    return FilePath.directory(spec, region.index());
  }

  String path(Kind kind, long number) {
    return FilePath.of(spec, region.index(), kind, number);
  }

  BlockHandle handle(Kind kind, long number) throws IOException {
    return files
        .locate(path(kind, number))
        .orElseThrow(() -> new IOException("there is no file " + path(kind, number)));
  }

  /**
   * Waits until the primary has created the file, its block on the members' DataNodes: one that the
   * NameNode has offered elsewhere is given back, and everything that was written to it goes.
   *
   * @param over whether nobody will create it any more: the epoch has ended
   * @throws NotCreatedException when that takes long; the primary goes on trying
   */
  BlockHandle awaitHandle(Kind kind, long number, BooleanSupplier over) throws IOException {
    long begun = System.nanoTime();
    for (; ; ) {
      Optional<BlockHandle> handle = Optional.empty();
      IOException failure = null;
      try {
        handle = files.locate(path(kind, number));
      } catch (IOException failed) {
        failure = failed;
      }
      if (handle.isPresent()
          && Set.copyOf(handle.get().dataNodes()).equals(Set.copyOf(dataNodes))) {
        return handle.get();
      }
      if (over.getAsBoolean() || Thread.interrupted()) {
        throw new IOException("the epoch is over");
      }
      long waited = System.nanoTime() - begun;
      if (handle.isEmpty() && waited > TURN_NANOS) {
        throw new NotCreatedException(path(kind, number), failure);
      }
      if (waited > WAIT_NANOS) {
        throw new IOException(
            path(kind, number)
                + " is on "
                + handle.get().dataNodes()
                + ", and not on "
                + dataNodes);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Creates a file and the directory that it is in, its block on the members' DataNodes; again
   * after a half-done attempt.
   */
  void create(Kind kind, long number, long bytes, byte[] permission) throws IOException {
    if (files.locate(path(kind, number)).isEmpty()) {
      files.createBlock(path(kind, number), bytes, dataNodes, permission);
    }
  }

  /** Starts the own replica. */
  ReplicaWriter writer(BlockHandle handle) {
    return ReplicaWriter.create(handle, handle.indexOf(own()), conf, loop);
  }

  /**
   * The own replica, or nothing where the DataNode says that it has none; it must not be silent.
   */
  Optional<ReplicaReader> openOwn(BlockHandle handle) throws IOException {
    return LocalReplicaReader.open(handle, own(), files, conf);
  }

  /** Whether the own DataNode has a replica that a recovery went on without. */
  boolean isLeftBehind(BlockHandle handle) throws IOException {
    return LocalReplicaReader.isLeftBehind(handle, own(), files, conf);
  }

  /**
   * The DataNodes besides the own one that have a replica, those of members first: they are alive.
   */
  List<String> othersOf(BlockHandle handle) {
    List<String> all =
        new ArrayList<>(dataNodes.stream().filter(d -> handle.indexOf(d) >= 0).toList());
    handle.dataNodes().stream().filter(d -> !all.contains(d)).forEach(all::add);
    all.remove(own());
    return all;
  }

  /** The replica on one of the handle's DataNodes. */
  ReplicaReader openOther(BlockHandle handle, String dataNode) throws IOException {
    return LocalReplicaReader.open(handle, handle.indexOf(dataNode), conf);
  }
}
