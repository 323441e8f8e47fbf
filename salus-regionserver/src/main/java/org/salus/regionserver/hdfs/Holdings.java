package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.MountBody;
import org.salus.core.message.Message.Holding;
import org.salus.core.message.Message.HoldingsReply;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.path.VolumePath;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * Finds out which parts of a region's log one DataNode has, so that the region's record can be
 * rebuilt. For one use by one thread.
 */
final class Holdings {
  private final VolumeFiles files;
  private final Configuration conf;
  private final String dataNode;
  private final RegionId region;
  private final Signer signer;
  private final List<Holding> segments = new ArrayList<>();
  private final List<Long> checkpoints = new ArrayList<>();
  private LogRecord manifest;
  private List<byte[]> certificate = List.of();
  private long mountEpoch;

  Holdings(VolumeFiles files, Configuration conf, String dataNode, RegionId region, Signer signer) {
    this.files = files;
    this.conf = conf;
    this.dataNode = dataNode;
    this.region = region;
    this.signer = signer;
  }

  HoldingsReply read(VolumePath volume) {
    try {
      String directory = volume.path() + String.format("/%04d", region.index());
      for (VolumeFiles.FileEntry f : files.list(directory)) {
        if (Kind.LOG.number(f.name()) >= 0) {
          readSegment(
              directory + "/" + f.name(), Kind.LOG.number(f.name()), !f.underConstruction());
        } else if (Kind.CHECKPOINT.number(f.name()) >= 0) {
          checkpoints.add(Kind.CHECKPOINT.number(f.name()));
        }
      }
      return new HoldingsReply(
          "",
          segments,
          checkpoints,
          manifest == null ? new byte[0] : manifest.permission(certificate),
          mountEpoch);
    } catch (IOException | MalformedException failed) {
      return new HoldingsReply(failed.toString(), List.of(), List.of(), new byte[0], 0);
    }
  }

  private void readSegment(String path, long segment, boolean finished)
      throws IOException, MalformedException {
    Optional<BlockHandle> handle = files.locate(path);
    if (handle.isEmpty()) {
      segments.add(new Holding(segment, finished, List.of(), -1, 0)); // the file has no block yet
      return;
    }
    Optional<ReplicaReader> replica = LocalReplicaReader.open(handle.get(), dataNode, files, conf);
    if (replica.isEmpty()) {
      segments.add(new Holding(segment, finished, handle.get().dataNodes(), -1, 0));
      return;
    }
    try (ReplicaReader own = replica.get()) {
      LogReader reader =
          new LogReader((position, dst) -> fill(own, position, dst), region, segment, signer);
      int epoch = 0;
      for (LogRecord r = reader.next(); r != null; r = reader.next()) {
        epoch = Math.max(epoch, r.epoch());
        note(r, reader.certificate());
      }
      segments.add(new Holding(segment, finished, handle.get().dataNodes(), reader.end(), epoch));
    }
  }

  private void note(LogRecord r, List<byte[]> signatures) throws MalformedException {
    if (r.type() == LogRecord.Type.MANIFEST) {
      mountEpoch = Math.max(mountEpoch, ManifestBody.decode(r.content()).mount().epoch());
      if (manifest == null
          || r.epoch() > manifest.epoch()
          || r.epoch() == manifest.epoch() && r.at().segment() > manifest.at().segment()) {
        manifest = r;
        certificate = signatures;
      }
    } else if (r.type() == LogRecord.Type.MOUNT) {
      mountEpoch = Math.max(mountEpoch, MountBody.decode(r.content()).mountEpoch());
    }
  }

  private static boolean fill(ReplicaReader from, long position, ByteBuffer dst) {
    try {
      for (long at = position; dst.hasRemaining(); ) {
        int n = from.read(dst, at);
        if (n <= 0) {
          return false;
        }
        at += n;
      }
      return true;
    } catch (IOException unreadable) {
      return false; // the replica is valid up to here
    }
  }
}
