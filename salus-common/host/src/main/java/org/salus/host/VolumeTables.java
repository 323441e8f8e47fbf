package org.salus.host;

import java.nio.ByteBuffer;

/**
 * The form of a volume in HBase: a table {@code salus:<volume>} with one table region for each
 * region of the volume. A table region's start key is the region's number (8 bytes, big endian).
 * HBase gives the first region of a table the empty start key. Thread-safe.
 */
public final class VolumeTables {
  /** Namespace of all volumes' tables. */
  public static final String NAMESPACE = "salus";

  /** HBase replicas of each table region: the most members of a region. */
  public static final int REPLICAS = 3;

  private VolumeTables() {}

  /** Start key of a region. */
  public static byte[] startKey(int region) {
    return ByteBuffer.allocate(Long.BYTES).putLong(region).array();
  }

  /**
   * The number of the region with this start key.
   *
   * @throws IllegalArgumentException when it is not the start key of a volume's region
   */
  public static int region(byte[] startKey) {
    if (startKey.length == 0) {
      return 0;
    }
    if (startKey.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "start key of " + startKey.length + " bytes, a volume's has " + Long.BYTES);
    }
    return Math.toIntExact(ByteBuffer.wrap(startKey).getLong());
  }
}
