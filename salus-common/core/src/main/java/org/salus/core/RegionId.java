package org.salus.core;

import java.util.HexFormat;

/** One region of one volume: the unit of a replicated region server (paper §4.2). */
public record RegionId(long volume, int index) implements Comparable<RegionId> {
  private static final int DIGITS = 4;

  @Override
  public int compareTo(RegionId o) {
    int c = Long.compareUnsigned(volume, o.volume);
    return c != 0 ? c : Integer.compare(index, o.index);
  }

  @Override
  public String toString() {
    String number = Integer.toString(index);
    return HexFormat.of().toHexDigits(volume)
        + "/"
        + "0".repeat(Math.max(0, DIGITS - number.length()))
        + number;
  }
}
