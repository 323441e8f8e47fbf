package org.salus.core.member;

import java.util.List;
import java.util.TreeMap;
import org.salus.core.Signer;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.ConfirmQuery;
import org.salus.core.message.Message.Vote;

/**
 * The batch leaders of the lanes in which a member acts. A member acts in more than one lane only
 * if the epoch has fewer members than lanes.
 */
final class LaneLeaders {
  private final TreeMap<Integer, LaneLeader> byLane = new TreeMap<>();

  LaneLeaders(Seat seat, Signer signer, MemberRules rules) {
    for (int lane : seat.lanes()) {
      byLane.put(lane, new LaneLeader(seat, lane, signer, rules));
    }
  }

  List<Integer> lanes() {
    return List.copyOf(byLane.keySet());
  }

  boolean actsIn(int lane) {
    return byLane.containsKey(lane);
  }

  void reset(long mountEpoch) {
    byLane.values().forEach(l -> l.reset(mountEpoch));
  }

  void begin(SubBatch b) {
    byLane.values().forEach(l -> l.begin(b));
  }

  /** Begins the sub-batch's view, or learns more of it. */
  void enter(SubBatch b) {
    byLane.values().forEach(l -> l.enter(b));
  }

  /** The seq up to which any of the lanes is known to have committed in the current view. */
  long committed() {
    return byLane.values().stream().mapToLong(LaneLeader::committed).max().orElse(0);
  }

  /** Notes that every lane has committed up to {@code seq}. */
  void acknowledged(long seq, Outbox out) {
    byLane.values().forEach(l -> l.acknowledged(seq, out));
  }

  /** Takes another leader's confirmation of what one lane has committed. */
  void confirmed(Commit c, Outbox out) {
    byLane.get(c.lane()).confirmed(c, out);
  }

  void vote(Vote v, Outbox out) {
    byLane.get(v.lane()).vote(v, out);
  }

  void query(ConfirmQuery q, Outbox out) {
    if (actsIn(q.lane())) {
      byLane.get(q.lane()).query(q, out);
    }
  }
}
