package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath;
import org.salus.core.path.FilePath.Kind;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A region's files as one member sees them.
 *
 * @param spec the volume
 * @param region the region
 * @param dataNodes "ip:port" of each member's DataNode in chain order
 * @param place this member's place in the chain, from 0
 * @param files the NameNode's side
 * @param conf Hadoop's settings
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
  private static final Logger LOG = LoggerFactory.getLogger(RegionFiles.class);

  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The longest time that a thread waits at once for a file that does not exist. */
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
   * Waits until M0 has created the file with its HDFS block on the members' DataNodes. A block on
   * other DataNodes does not count: M0 gives it back, and everything that was written to it is
   * lost.
   *
   * @param over whether the epoch has ended, so that nobody will create the file
   * @throws NotCreatedException when the file does not exist after 1 s; M0 goes on trying
   * @throws IOException when the epoch has ended, or the block is elsewhere after 60 s
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
      if (handle.isPresent() && handle.get().dataNodes().containsAll(dataNodes)) {
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
   * Creates a file, its directory, and its HDFS block on the members' DataNodes. The call may be
   * repeated after it failed half-way.
   */
  void create(Kind kind, long number, long bytes, byte[] permission) throws IOException {
    if (files.locate(path(kind, number)).isEmpty()) {
      files.createBlock(path(kind, number), bytes, dataNodes, permission);
    }
  }

  /**
   * Starts to write the own replica.
   *
   * @throws IOException if the NameNode has no place for it. After its restart it knows only of
   *     those replicas of an open file that had begun. One that begins later could not be told from
   *     that of a member that was left out.
   */
  ReplicaWriter writer(BlockHandle handle) throws IOException {
    int index = handle.indexOf(own());
    if (index < 0) {
      throw new IOException(
          "the NameNode, which was restarted, knows of no replica of "
              + handle.path()
              + " on "
              + own());
    }
    return ReplicaWriter.create(handle, index, conf, loop);
  }

  /**
   * Opens the own replica. The result is empty if the DataNode says that it has none.
   *
   * @throws IOException when the DataNode does not answer
   */
  Optional<ReplicaReader> openOwn(BlockHandle handle) throws IOException {
    return openOf(handle, own());
  }

  /**
   * Opens the replica of a member's DataNode. The result is empty if it says that it has none.
   *
   * @throws IOException when the DataNode does not answer
   */
  Optional<ReplicaReader> openOf(BlockHandle handle, String dataNode) throws IOException {
    return LocalReplicaReader.open(handle, dataNode, files, conf);
  }

  /**
   * The generation stamp of the own replica.
   *
   * @throws IOException when the DataNode does not answer, or has none that counts
   */
  long stamp(BlockHandle handle) throws IOException {
    return LocalReplicaReader.stamp(handle, own(), files, conf);
  }

  /** Whether the own DataNode has a replica that a recovery left behind. */
  boolean isLeftBehind(BlockHandle handle) throws IOException {
    return LocalReplicaReader.isLeftBehind(handle, own(), files, conf);
  }

  /** The other DataNodes with a replica. Those of members come first, because they are alive. */
  List<String> othersOf(BlockHandle handle) {
    List<String> all =
        new ArrayList<>(dataNodes.stream().filter(d -> handle.indexOf(d) >= 0).toList());
    handle.dataNodes().stream().filter(d -> !all.contains(d)).forEach(all::add);
    all.remove(own());
    return all;
  }

  /** Opens the replica on one of the handle's DataNodes. */
  ReplicaReader openOther(BlockHandle handle, String dataNode) throws IOException {
    return LocalReplicaReader.open(handle, handle.indexOf(dataNode), conf);
  }

  /** Returns the log segments at the NameNode by number. */
  TreeMap<Long, VolumeFiles.FileEntry> segments() throws IOException {
    return numbered(Kind.LOG, files.list(directory()));
  }

  /** Returns the files of one kind by number. */
  static TreeMap<Long, VolumeFiles.FileEntry> numbered(Kind kind, List<VolumeFiles.FileEntry> all) {
    TreeMap<Long, VolumeFiles.FileEntry> some = new TreeMap<>();
    for (VolumeFiles.FileEntry f : all) {
      long number = kind.number(f.name());
      if (number >= 0) {
        some.put(number, f);
      } else if (f.name().startsWith(kind.prefix())) {
        LOG.warn("ignoring {}, which is no name of a file of a region", f.name());
      }
    }
    return some;
  }
}
