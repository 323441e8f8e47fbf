package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.log.Put;

/** A batch that not all lanes have committed yet, with each participant's part of it. */
final class Batch {

  /** One participant's part. */
  static final class Part {
    final List<Put> puts;
    final ByteBuffer payload;
    final int payloadCrc;
    byte[] content;
    byte[] signature;

    /** The lanes whose member has prepared the part in the current view. */
    final TreeSet<Integer> prepared = new TreeSet<>();

    Part(List<Put> puts, ByteBuffer payload, int payloadCrc) {
      this.puts = puts;
      this.payload = payload;
      this.payloadCrc = payloadCrc;
    }
  }

  final long first;
  final long last;
  final boolean sync;
  final byte[] volumeRoot;
  final Map<Integer, Part> parts = new TreeMap<>();
  int leader;
  long sentAt;
  int attempts;

  Batch(long first, long last, boolean sync, byte[] volumeRoot) {
    this.first = first;
    this.last = last;
    this.sync = sync;
    this.volumeRoot = volumeRoot;
  }

  /** The lanes whose YES was shown, for each participant but the leader. */
  List<TreeSet<Integer>> voted() {
    return parts.entrySet().stream()
        .filter(p -> p.getKey() != leader)
        .map(p -> p.getValue().prepared)
        .toList();
  }

  /** The last seq that this batch has in a region. */
  long lastSeq(int region) {
    List<Put> puts = parts.get(region).puts;
    return puts.isEmpty() ? last : puts.get(puts.size() - 1).seq();
  }
}
