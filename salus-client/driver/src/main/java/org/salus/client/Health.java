package org.salus.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.salus.client.cluster.WaitReason;
import org.salus.core.Lanes;
import org.salus.core.Reason;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.replacement.RrsRecord;

/**
 * The health of a region, from its record and its members' answers. A region is healthy only when
 * three members serve the record's epoch with the same checkpoints and the same region root.
 * Immutable.
 *
 * @param why why it is not healthy, in words; else empty
 * @param passing whether the state may come only from members not being asked at the same moment
 */
record Health(State state, String why, boolean passing) {

  /** From best to worst. */
  enum State {
    HEALTHY,
    DEGRADED,
    UNAVAILABLE
  }

  private static final Health HEALTHY = new Health(State.HEALTHY, "", false);

  private static Health degraded(String why) {
    return new Health(State.DEGRADED, why, false);
  }

  private static Health unavailable(String why) {
    return new Health(State.UNAVAILABLE, why, false);
  }

  /** The health of a volume without all its records. */
  static Health restoring(String volume) {
    return unavailable(
        "the repair of its records is not done: if it does not run, run 'salus volume repair "
            + volume
            + "' again");
  }

  /**
   * Works out a region's health.
   *
   * @param rrs the region's record, or null when it has none
   * @param replies the members' answers in chain order, null for a member that did not answer
   */
  static Health of(RrsRecord rrs, List<StatusReply> replies) {
    if (rrs == null) {
      return unavailable("no members chosen yet");
    }
    Health h = ofEpoch(rrs, replies);
    // A BROKEN epoch acknowledges nothing, and the next may have three members.
    return rrs.members().size() == Lanes.COUNT || rrs.state() == RrsRecord.State.BROKEN
        ? h
        : new Health(
            h.state == State.HEALTHY ? State.DEGRADED : h.state,
            WaitReason.join(h.why, missing(rrs)),
            h.passing);
  }

  /** The health of a region, whatever the number of its members. */
  private static Health ofEpoch(RrsRecord rrs, List<StatusReply> replies) {
    if (rrs.state() != RrsRecord.State.SERVING) {
      return unavailable("epoch " + rrs.epoch() + " is " + rrs.state() + ": " + rrs.note());
    }
    if (replies.stream().allMatch(Objects::isNull)) {
      return unavailable("no member answers");
    }
    for (int i = 0; i < replies.size(); i++) {
      StatusReply r = replies.get(i);
      String node = rrs.members().get(i).node();
      if (r == null) {
        return degraded(node + " does not answer");
      }
      if (r.epoch() != rrs.epoch() || !r.serving()) {
        return new Health(State.DEGRADED, node + " does not serve epoch " + rrs.epoch(), true);
      }
    }
    Health difference = difference(rrs, replies);
    return difference == null ? HEALTHY : difference;
  }

  /** What an epoch of fewer than three members means. */
  private static String missing(RrsRecord rrs) {
    int members = rrs.members().size();
    return members
        + " of "
        + Lanes.COUNT
        + " members: what is acknowledged now survives "
        + (members == 1 ? "no faulty server" : "one faulty server, not two")
        + (rrs.joining() == null
            ? ""
            : "; " + rrs.joining().member().node() + " gets ready to join");
  }

  private static Health difference(RrsRecord rrs, List<StatusReply> replies) {
    StatusReply first = replies.get(0);
    for (int i = 1; i < replies.size(); i++) {
      StatusReply r = replies.get(i);
      String pair = rrs.members().get(0).node() + " and " + rrs.members().get(i).node();
      String checkpoint = otherCheckpoint(first.files().checkpoints(), r.files().checkpoints());
      if (checkpoint != null) {
        return degraded(pair + " have different checkpoints: " + checkpoint);
      }
      if (!ids(first).equals(ids(r))) {
        return new Health(
            State.DEGRADED, pair + " have checkpoints " + ids(first) + " and " + ids(r), true);
      }
      if (!Arrays.equals(first.files().checkpointRoot(), r.files().checkpointRoot())) {
        return new Health(
            State.DEGRADED, pair + " have different roots as of the same checkpoints", true);
      }
    }
    return otherRoot(rrs, replies);
  }

  private static List<Long> ids(StatusReply r) {
    return r.files().checkpoints().stream().map(Checkpoint::id).toList();
  }

  /** The first checkpoint that both members have with different content, in words, or null. */
  private static String otherCheckpoint(List<Checkpoint> one, List<Checkpoint> two) {
    for (Checkpoint a : one) {
      for (Checkpoint b : two) {
        if (a.id() == b.id()
            && (a.length() != b.length()
                || a.crc() != b.crc()
                || !Arrays.equals(a.root(), b.root()))) {
          return String.format(
              "number %d has %d bytes with CRC %08x, and %d bytes with CRC %08x",
              a.id(), a.length(), a.crc(), b.length(), b.crc());
        }
      }
    }
    return null;
  }

  /**
   * Compares the roots of trees as of the same batch. While the region is written, members' trees
   * may be as of different batches.
   */
  private static Health otherRoot(RrsRecord rrs, List<StatusReply> replies) {
    Map<Long, Integer> seen = new HashMap<>();
    for (int i = 0; i < replies.size(); i++) {
      StatusReply r = replies.get(i);
      Integer before = r.root().length == 0 ? null : seen.putIfAbsent(r.settled(), i);
      if (before != null && !Arrays.equals(replies.get(before).root(), r.root())) {
        return degraded(
            rrs.members().get(before).node()
                + " and "
                + rrs.members().get(i).node()
                + " have different roots at "
                + r.settled());
      }
    }
    return null;
  }

  /** Whether every member's root is known and as of the same batch. */
  static boolean rootsCompared(List<StatusReply> replies) {
    return replies.stream()
        .allMatch(r -> r != null && r.root().length > 0 && r.settled() == replies.get(0).settled());
  }

  /** The health with a trouble that is not of one region. */
  Health with(Optional<Reason> trouble) {
    return trouble.isEmpty()
        ? this
        : new Health(
            state == State.HEALTHY ? State.DEGRADED : state, WaitReason.with(trouble, why), false);
  }

  /** The health of a volume with losses of which nobody has said yet that he knows. */
  Health withLosses(String volume, List<VolumeInfo.Loss> losses) {
    String words =
        losses.stream().map(loss -> loss.words(volume)).collect(Collectors.joining("; "));
    return losses.isEmpty()
        ? this
        : new Health(
            state == State.HEALTHY ? State.DEGRADED : state, WaitReason.join(why, words), false);
  }

  /** A volume's health: the worst of its regions' states, with every region's reason. */
  static Health worst(List<Health> regions) {
    State state = State.HEALTHY;
    List<String> why = new ArrayList<>();
    for (int i = 0; i < regions.size(); i++) {
      Health h = regions.get(i);
      state = h.state.compareTo(state) > 0 ? h.state : state;
      if (h.state != State.HEALTHY) {
        why.add("region " + i + ": " + h.why);
      }
    }
    return new Health(state, String.join("; ", why), false);
  }
}
