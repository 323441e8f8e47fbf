package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.ManifestBody;
import org.salus.core.path.FilePath;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from a region's log which files its members have certified. A server without a member uses
 * it. Thread-safe.
 */
final class NewestManifest {
  private static final Logger LOG = LoggerFactory.getLogger(NewestManifest.class);

  private final VolumeFiles files;
  private final Configuration conf;
  private final Signer signer;

  NewestManifest(VolumeFiles files, Configuration conf, Signer signer) {
    this.files = files;
    this.conf = conf;
    this.signer = signer;
  }

  /**
   * Returns the finished files that the newest manifest of an epoch names.
   *
   * @throws IOException when no manifest of that epoch can be read now
   */
  List<ScrubFile> files(VolumeSpec spec, RegionId region, int epoch) throws IOException {
    String directory = FilePath.directory(spec, region.index());
    List<Long> segments =
        files.list(directory).stream()
            .map(f -> Kind.LOG.number(f.name()))
            .filter(n -> n >= 0)
            .sorted(Comparator.reverseOrder())
            .toList();
    for (long segment : segments) {
      Optional<BlockHandle> handle =
          files.locate(FilePath.of(spec, region.index(), Kind.LOG, segment));
      for (String dataNode : handle.map(BlockHandle::dataNodes).orElse(List.of())) {
        List<ScrubFile> named = read(spec, region, segment, epoch, handle.get(), dataNode);
        if (named != null) {
          return named;
        }
      }
    }
    throw new IOException(
        "no segment in "
            + directory
            + " that can be read begins with a manifest of epoch "
            + epoch);
  }

  private List<ScrubFile> read(
      VolumeSpec spec,
      RegionId region,
      long segment,
      int epoch,
      BlockHandle handle,
      String dataNode) {
    try (ReplicaReader replica = LocalReplicaReader.open(handle, handle.indexOf(dataNode), conf)) {
      LogReader reader = new LogReader(SegmentReplicas.only(replica), region, segment, signer);
      LogRecord head = reader.next();
      boolean isIt =
          head != null && head.type() == LogRecord.Type.MANIFEST && head.epoch() == epoch;
      return isIt
          ? ScrubFile.of(
              spec,
              region,
              ManifestBody.decode(head.content()),
              head.permission(reader.certificate()))
          : null;
    } catch (IOException | MalformedException unreadable) {
      LOG.info("{} is not read from {}: {}", handle.path(), dataNode, unreadable.getMessage());
      return null;
    }
  }
}
