package org.salus.host;

import java.nio.ByteBuffer;

/**
 * How a volume appears in HBase: a table {@code salus:<volume>}, one table region for each region
 * of the volume, the region's number as the start key (8 bytes, big endian). HBase gives the first
 * region of a table the empty start key.
 */
public final class VolumeTables {
  /** Namespace of all volumes' tables. */
  public static final String NAMESPACE = "salus";

  /** Replicas of each region: the most members of a region's replicated state. */
  public static final int REPLICAS = 3;

  private VolumeTables() {}

  /** Start key of a region. */
  public static byte[] startKey(int region) {
    return ByteBuffer.allocate(Long.BYTES).putLong(region).array();
  }

  /** The region with this start key; IllegalArgumentException when it is no volume's key. */
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
