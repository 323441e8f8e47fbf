package org.salus.client;

import org.salus.core.VolumeSpec;
import org.salus.core.path.VolumePath;

/** A volume's shape as its user remembers it; sizes in bytes. Immutable. */
public record RepairShape(
    long size, int blockSize, int regions, boolean synced, boolean strict, long segmentSize) {

  /** Checks that the size is a multiple of the block size. {@link VolumeSpec} checks the rest. */
  public RepairShape {
    if (blockSize <= 0 || size % blockSize != 0) {
      throw new IllegalArgumentException(
          "size " + size + ": use a multiple of the block size " + blockSize);
    }
  }

  VolumeSpec of(VolumePath volume) {
    return new VolumeSpec(
        volume.volume(),
        volume.id(),
        blockSize,
        size / blockSize,
        regions,
        synced,
        segmentSize,
        strict);
  }
}
