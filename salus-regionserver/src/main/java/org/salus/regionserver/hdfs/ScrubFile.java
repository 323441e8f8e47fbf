package org.salus.regionserver.hdfs;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath;
import org.salus.core.path.FilePath.Kind;

/**
 * A finished file as its region's members have certified it. Nobody changes the array.
 *
 * @param spec the volume
 * @param region the region
 * @param kind segment or checkpoint
 * @param number the number of the segment or checkpoint
 * @param length the length of every replica, in bytes
 * @param checkpoint the manifest's entry of a checkpoint; null for a segment, whose records have
 *     certificates of their own
 * @param oldest whether it is the region's oldest checkpoint
 * @param manifest the manifest's record, as a permission
 */
public record ScrubFile(
    VolumeSpec spec,
    RegionId region,
    Kind kind,
    long number,
    long length,
    Checkpoint checkpoint,
    boolean oldest,
    byte[] manifest) {

  /** The files that a manifest names. */
  public static List<ScrubFile> of(
      VolumeSpec spec, RegionId region, ManifestBody m, byte[] manifest) {
    List<ScrubFile> files = new ArrayList<>();
    for (SegmentEnd s : m.segments()) {
      files.add(
          new ScrubFile(spec, region, Kind.LOG, s.segment(), s.length(), null, false, manifest));
    }
    for (Checkpoint c : m.checkpoints().live()) {
      files.add(
          new ScrubFile(
              spec,
              region,
              Kind.CHECKPOINT,
              c.id(),
              c.length(),
              c,
              c.equals(m.checkpoints().live().get(0)),
              manifest));
    }
    return files;
  }

  public String path() {
    return FilePath.of(spec, region.index(), kind, number);
  }
}
