package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.log.Put;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;

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

  /** Whether a vote is a participant's on this batch. */
  boolean isVotedOnBy(Vote v) {
    return parts.containsKey(v.region())
        && v.leader() == leader
        && v.first() == first
        && v.last() == last
        && Arrays.equals(v.root(), volumeRoot);
  }

  /** The whole of a YES that a leader shows. */
  Vote vote(Yes yes, int epoch, int lane, long mountEpoch, int view) {
    return new Vote(
        yes.region(),
        epoch,
        lane,
        leader,
        mountEpoch,
        view,
        first,
        last,
        volumeRoot,
        null,
        yes.signature());
  }

  /** The last seq that this batch has in a region. */
  long lastSeq(int region) {
    List<Put> puts = parts.get(region).puts;
    return puts.isEmpty() ? last : puts.get(puts.size() - 1).seq();
  }
}
