package org.salus.benchmarks.peers.ring;

import java.util.Comparator;

/**
 * The place of a write in the order of all writes to its block.
 *
 * @param server the server that took it from a client
 */
record Tag(long timestamp, int server) implements Comparable<Tag> {
  /** The tag before all writes. */
  static final Tag NONE = new Tag(0, 0);

  private static final Comparator<Tag> ORDER =
      Comparator.comparingLong(Tag::timestamp).thenComparingInt(Tag::server);

  @Override
  public int compareTo(Tag other) {
    return ORDER.compare(this, other);
  }
}
