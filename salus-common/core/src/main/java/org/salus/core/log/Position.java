package org.salus.core.log;

/** A place in a region log: a segment and a byte offset in it. */
public record Position(long segment, long offset) implements Comparable<Position> {

  public Position plus(long bytes) {
    return new Position(segment, offset + bytes);
  }

  @Override
  public int compareTo(Position o) {
    int c = Long.compare(segment, o.segment);
    return c != 0 ? c : Long.compare(offset, o.offset);
  }

  @Override
  public String toString() {
    return segment + ":" + offset;
  }
}
