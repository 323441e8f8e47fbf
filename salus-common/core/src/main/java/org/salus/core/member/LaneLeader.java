package org.salus.core.member;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.ConfirmQuery;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;

/**
 * The batch leader of one lane (paper §4.1, PC3). It commits a batch when two conditions hold:
 * every participant's member of this lane has voted YES, and the lane has committed everything
 * before. The leader of the batch before confirms the latter. Commits are cumulative, so a later
 * one stands for every earlier one that got lost. Confirmations only order batches: a leader
 * commits and announces only those of its own batches for which it has the votes.
 *
 * <p>Votes and commits count within their view only. A session begins a new view whenever it hears
 * of a replacement, and names the epoch of each region in its sub-batches. So all votes of a view
 * on one region's part come from one epoch, and a replaced member has no vote.
 */
final class LaneLeader {
  private static final byte[] NO_SIGNATURE = {};

  /** The votes on one batch. They may arrive before the leader's own sub-batch. */
  private static final class Ballot {
    /** The YES votes, by region. */
    final TreeMap<Integer, Vote> yes = new TreeMap<>();

    SubBatch batch;
  }

  private final RegionId region;
  private final int epoch;
  private final int lane;
  private final Signer signer;
  private final MemberRules rules;
  private final TreeMap<Long, Ballot> ballots = new TreeMap<>();

  /**
   * The other participants' votes on batches that are committed in this view and not known to be
   * acknowledged. The key is the batch's last seq.
   */
  private final TreeMap<Long, List<Yes>> proofs = new TreeMap<>();

  private final WaitingQueries waiting = new WaitingQueries();

  /** The epochs that the session has named in this view, by region. */
  private final TreeMap<Integer, Integer> epochs = new TreeMap<>();

  private long mountEpoch;
  private int view;
  private long acked;

  /**
   * The last seq of the leader's own newest batch that the lane has committed; at least {@link
   * #acked}.
   */
  private long decided;

  /** The seq up to which the lane has committed, other leaders' batches included. */
  private long committed;

  LaneLeader(Seat seat, int lane, Signer signer, MemberRules rules) {
    this.region = seat.region();
    this.epoch = seat.epoch();
    this.lane = lane;
    this.signer = signer;
    this.rules = rules;
  }

  /** Begins a new mount and forgets everything of the one before. */
  void reset(long newMountEpoch) {
    mountEpoch = newMountEpoch;
    view = 0;
    acked = 0;
    decided = 0;
    committed = 0;
    ballots.clear();
    proofs.clear();
    waiting.clear();
    epochs.clear();
  }

  /** The seq up to which this lane is known to have committed in the current view. */
  long committed() {
    return committed;
  }

  /**
   * Begins the sub-batch's view, or learns more of it. Commits of older views count only if they
   * are of all lanes.
   */
  void enter(SubBatch b) {
    if (b.view() > view) {
      view = b.view();
      epochs.clear();
      decided = acked;
      committed = acked;
      ballots
          .values()
          .forEach(
              x -> {
                x.batch = null;
                x.yes.values().removeIf(v -> v.view() < view);
              });
      proofs.clear();
      ballots.values().removeIf(x -> x.yes.isEmpty());
    }
    b.participants().regions().forEach(r -> epochs.put(r, b.participants().epochOf(r)));
    if (b.prevLeader().exists()) {
      epochs.put(b.prevLeader().region(), b.prevLeader().epoch());
    }
  }

  /** Takes the leader's own sub-batch of the current view, which names the participants. */
  void begin(SubBatch b) {
    if (b.last() > decided) {
      Ballot x = ballot(b.last());
      x.batch = b;
      x.yes.values().removeIf(v -> v.view() <= b.view() && !rules.isOn(v, b));
    }
  }

  /** Takes a vote of this lane; this member's own votes come here too. */
  void vote(Vote v, Outbox out) {
    if (v.mountEpoch() != mountEpoch || v.view() < view) {
      return;
    }
    if (v.last() <= decided) {
      tell(v.region(), v.last(), out);
    } else if (!rules.isYes(v)) {
      takeBack(v);
      out.send(session(), new Abort(region.index(), v));
    } else if (hasRoom(v)) {
      Ballot x = ballot(v.last());
      if (x.batch != null && v.view() <= x.batch.view() && !rules.isOn(v, x.batch)) {
        return;
      }
      x.yes.put(v.region(), v);
      decide(out);
      if (v.last() > decided) {
        askForConfirmation(x, out);
      }
    }
  }

  private void takeBack(Vote no) {
    Ballot x = ballots.get(no.last());
    if (x != null) {
      x.yes.remove(no.region());
    }
  }

  /**
   * Whether a vote can be kept. The votes of one region on batches that this leader knows nothing
   * of are limited; so a wrong member fills no memory, and holds up its own region alone.
   */
  private boolean hasRoom(Vote v) {
    Ballot known = ballots.get(v.last());
    if (known != null && (known.batch != null || known.yes.containsKey(v.region()))) {
      return true;
    }
    return unknownVotes(v.region()) < MemberConfig.MOST_UNKNOWN;
  }

  /** The number of batches on which this region has voted and of which nothing else is known. */
  long unknownVotes(int ofRegion) {
    return ballots.values().stream()
        .filter(x -> x.batch == null && x.yes.containsKey(ofRegion))
        .count();
  }

  private Ballot ballot(long last) {
    return ballots.computeIfAbsent(last, k -> new Ballot());
  }

  /**
   * Notes the session's word that all lanes have committed up to {@code seq}. It holds in every
   * view.
   */
  void acknowledged(long seq, Outbox out) {
    acked = Math.max(acked, seq);
    decided = Math.max(decided, seq);
    ballots.headMap(seq, true).clear();
    proofs.headMap(seq, true).clear();
    advance(seq, out);
  }

  /**
   * Takes another leader's confirmation that the lane has committed up to a seq in a view. It
   * begins no view: only the session does.
   */
  void confirmed(Commit c, Outbox out) {
    if (rules.confirms(c, mountEpoch, view, epochs.getOrDefault(c.leader(), 0))) {
      advance(c.seq(), out);
    }
  }

  private void advance(long seq, Outbox out) {
    if (seq > committed) {
      committed = seq;
      decide(out);
    }
  }

  private void decide(Outbox out) {
    for (Iterator<Map.Entry<Long, Ballot>> i = ballots.entrySet().iterator(); i.hasNext(); ) {
      Ballot x = i.next().getValue();
      if (x.batch == null) {
        // this leader's sub-batch is not here, nor any later one; or another leader's batch
        continue;
      }
      if (!rules.hasAllVotes(x.batch, x.yes) || !rules.isConfirmed(x.batch, committed)) {
        break;
      }
      decided = x.batch.last();
      committed = Math.max(committed, decided);
      i.remove();
      proofs.put(decided, others(x));
      for (int p : x.batch.participants().regions()) {
        tell(p, decided, out);
      }
    }
    answerWaiting(out);
  }

  private List<Yes> others(Ballot x) {
    return x.batch.participants().regions().stream()
        .filter(p -> p != region.index())
        .map(p -> new Yes(p, x.yes.get(p).signature()))
        .toList();
  }

  private void askForConfirmation(Ballot x, Outbox out) {
    SubBatch b = x.batch;
    if (b != null
        && rules.hasAllVotes(b, x.yes)
        && !rules.isConfirmed(b, committed)
        && b.prevLeader().exists()
        && b.prevLeader().region() != region.index()) {
      out.send(
          member(b.prevLeader().region()),
          new ConfirmQuery(region.index(), lane, mountEpoch, view, b.first() - 1));
    }
  }

  /**
   * Takes another leader's query for this lane's commit of a seq. The asker is a region of the
   * volume.
   */
  void query(ConfirmQuery q, Outbox out) {
    if (q.mountEpoch() != mountEpoch) {
      return;
    }
    waiting.add(q);
    answerWaiting(out);
  }

  private void answerWaiting(Outbox out) {
    waiting.take(decided, view).forEach(asker -> tell(asker, decided, out));
  }

  private void tell(int toRegion, long batch, Outbox out) {
    if (toRegion == region.index()) {
      out.send(session(), commit(Commit.SESSION, batch, proofs.getOrDefault(batch, List.of())));
    } else {
      out.send(member(toRegion), commit(toRegion, decided, List.of()));
    }
  }

  private Commit commit(int to, long seq, List<Yes> votes) {
    return new Commit(region.index(), epoch, lane, to, mountEpoch, view, seq, NO_SIGNATURE, votes)
        .sign(region.volume(), signer);
  }

  private Endpoint session() {
    return new Endpoint.Session(region.volume(), mountEpoch);
  }

  private Endpoint member(int ofRegion) {
    return new Endpoint.Member(new RegionId(region.volume(), ofRegion), lane);
  }
}
