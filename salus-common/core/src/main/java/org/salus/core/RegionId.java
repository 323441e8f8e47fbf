package org.salus.core;

/** One region of one volume: the unit of a replicated region server (paper §4.2). */
public record RegionId(long volume, int index) implements Comparable<RegionId> {

  @Override
  public int compareTo(RegionId o) {
    int c = Long.compareUnsigned(volume, o.volume);
    return c != 0 ? c : Integer.compare(index, o.index);
  }

  @Override
  public String toString() {
    return String.format("%016x/%04d", volume, index);
  }
}
