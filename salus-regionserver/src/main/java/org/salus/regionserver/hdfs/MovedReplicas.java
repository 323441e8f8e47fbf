package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import org.salus.core.Signer;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.LogReader;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a holder's own replicas of open segments to the DataNode that its new epoch gives it
 * (§4.2.1). The member copies them itself, before it reads them there. So nobody else decides what
 * is in them, and their floors protect them as on the DataNode before. HDFS copies finished files.
 * For one scan, by one thread.
 */
final class MovedReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(MovedReplicas.class);
  private static final int COPY = 256 << 10;

  private final RegionFiles files;
  private final Signer signer;

  MovedReplicas(RegionFiles files, Signer signer) {
    this.files = files;
    this.signer = signer;
  }

  /**
   * Copies what is not there yet. Does nothing if the replicas have not moved.
   *
   * @param node the member's server
   * @throws IOException when the DataNode before does not answer, or a copy fails or was cut short
   *     earlier. The next epoch then needs another DataNode
   */
  void bring(String node) throws IOException {
    EpochLink served = files.files().register(files.directory()).served();
    Optional<String> before =
        served == null
            ? Optional.empty()
            : served.members().stream()
                .filter(m -> m.node().equals(node))
                .map(Member::dataNode)
                .filter(d -> !d.equals(files.own()))
                .findFirst();
    if (before.isEmpty()) {
      return;
    }
    LOG.info(
        "{}: the replica of {} moves from {} to {}",
        files.region(),
        node,
        before.get(),
        files.own());
    for (Map.Entry<Long, VolumeFiles.FileEntry> e : files.segments().entrySet()) {
      Optional<BlockHandle> handle =
          e.getValue().underConstruction()
              ? files.files().locate(files.path(Kind.LOG, e.getKey()))
              : Optional.empty();
      if (handle.isPresent() && handle.get().open()) {
        bring(e.getKey(), handle.get(), before.get());
      }
    }
  }

  private void bring(long segment, BlockHandle handle, String before) throws IOException {
    // A replica that is not there any more was dropped after a recovery without it.
    Optional<ReplicaReader> there =
        LocalReplicaReader.open(handle, before, files.files(), files.conf());
    if (there.isEmpty()) {
      return;
    }
    try (ReplicaReader from = there.get()) {
      Optional<ReplicaReader> here = files.openOwn(handle);
      if (here.isEmpty()) {
        copy(handle, from);
        return;
      }
      try (ReplicaReader to = here.get()) {
        if (end(segment, to) < end(segment, from)) {
          throw new IOException(
              "the copy of " + handle.path() + " on DataNode " + files.own() + " was cut short");
        }
      }
    }
  }

  private long end(long segment, ReplicaReader replica) {
    LogReader reader =
        new LogReader(SegmentReplicas.only(replica), files.region(), segment, signer);
    while (reader.next() != null) {
      continue;
    }
    return reader.end();
  }

  /** Copies all bytes, so that the scan finds in the copy whatever is wrong with the replica. */
  private void copy(BlockHandle handle, ReplicaReader from) throws IOException {
    long length = from.length();
    try (ReplicaWriter writer = files.writer(handle)) {
      ReplicaOutput out = new ReplicaOutput(writer);
      ByteBuffer some = ByteBuffer.allocate(COPY);
      for (long at = 0; at < length; at += some.position()) {
        some.clear().limit((int) Math.min(COPY, length - at));
        if (!SegmentReplicas.only(from).read(at, some)) {
          throw new IOException(handle.path() + " cannot be read at byte " + at);
        }
        out.write(some.array(), 0, some.position());
      }
      out.finish();
    } catch (UnreadableException failed) {
      throw new IOException(handle.path() + " cannot be copied to DataNode " + files.own(), failed);
    }
  }
}
