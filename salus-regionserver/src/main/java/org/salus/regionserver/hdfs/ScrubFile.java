package org.salus.regionserver.hdfs;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.log.Checkpoint;
import org.salus.core.log.FilePath;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.ManifestBody;
import org.salus.core.message.Message.SegmentEnd;

/**
 * A finished file as its region's members have certified it.
 *
 * @param length bytes that every replica has
 * @param crc CRC32C of a checkpoint's file; 0 of a segment, whose records are certified each
 * @param manifest the record that says so, as a permission
 */
public record ScrubFile(VolumeSpec spec, RegionId region, Kind kind, long number, long length, int crc, byte[] manifest) {

  /** The files that a manifest names. */
  public static List<ScrubFile> of(VolumeSpec spec, RegionId region, ManifestBody m, byte[] manifest) {
    List<ScrubFile> files = new ArrayList<>();
    for (SegmentEnd s : m.segments()) {
      files.add(new ScrubFile(spec, region, Kind.LOG, s.segment(), s.length(), 0, manifest));
    }
    for (Checkpoint c : m.checkpoints()) {
      files.add(new ScrubFile(spec, region, Kind.CHECKPOINT, c.id(), c.length(), c.crc(), manifest));
    }
    return files;
  }

  public String path() {
    return FilePath.of(spec, region.index(), kind, number);
  }
}
