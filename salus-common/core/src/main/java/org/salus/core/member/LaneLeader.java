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
import org.salus.core.message.MessageCodec;

/**
 * The batch leader of one lane (paper §4.1, PC3): commits a batch when every participant's member
 * of this lane has voted YES and the lane has committed everything before it, which the leader of
 * the batch before confirms. Commits are cumulative, so a later one stands for every earlier one
 * that got lost. What other leaders confirm only orders batches: of its own ones a leader commits,
 * and tells, what it has the votes of.
 *
 * <p>Votes and commits count within their view: a session begins a new one whenever it hears that
 * members were replaced, so that all votes of a view on a region's part come from one epoch, and a
 * member that was replaced unawares has no voice.
 */
final class LaneLeader {

  /** What is known of one batch; votes may come before the leader's own sub-batch. */
  private static final class Ballot {
    /** By region. */
    final TreeMap<Integer, Vote> yes = new TreeMap<>();

    SubBatch batch;
  }

  private final RegionId region;
  private final int lane;
  private final Signer signer;
  private final MemberRules rules;
  private final TreeMap<Long, Ballot> ballots = new TreeMap<>();

  /**
   * The other participants' votes on what is committed in this view and not known to be
   * acknowledged, by the batch's last seq.
   */
  private final TreeMap<Long, List<Yes>> proofs = new TreeMap<>();

  /** What other leaders wait for, and in which view, by region. */
  private final TreeMap<Integer, TreeMap<Long, Integer>> waiting = new TreeMap<>();

  private long mountEpoch;
  private int view;
  private long acked;

  /** The last of this leader's own batches that the lane has committed, or what all lanes have. */
  private long decided;

  /** What the lane has committed, other leaders' batches too. */
  private long committed;

  LaneLeader(RegionId region, int lane, Signer signer, MemberRules rules) {
    this.region = region;
    this.lane = lane;
    this.signer = signer;
    this.rules = rules;
  }

  /** A new mount begins; nothing of the one before counts. */
  void reset(long newMountEpoch) {
    mountEpoch = newMountEpoch;
    view = 0;
    acked = 0;
    decided = 0;
    committed = 0;
    ballots.clear();
    proofs.clear();
    waiting.clear();
  }

  /** What this lane is known to have committed in the current view. */
  long committed() {
    return committed;
  }

  /** A view begins: of what older ones committed only what all lanes have counts. */
  void enter(int newView) {
    if (newView > view) {
      view = newView;
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
  }

  /** The leader's own sub-batch, of the current view, says who takes part. */
  void begin(SubBatch b) {
    if (b.last() > decided) {
      ballot(b.last()).batch = b;
    }
  }

  /** A vote of this lane, this member's own ones too. */
  void vote(Vote v, Outbox out) {
    if (v.mountEpoch() != mountEpoch || v.view() < view) {
      return;
    }
    if (v.last() <= decided) {
      tell(v.region(), v.last(), out);
    } else if (!rules.isYes(v)) {
      ballot(v.last()).yes.remove(v.region());
      out.send(session(), new Abort(region.index(), v));
    } else {
      Ballot x = ballot(v.last());
      x.yes.put(v.region(), v);
      decide(out);
      if (v.last() > decided) {
        askForConfirmation(x, out);
      }
    }
  }

  private Ballot ballot(long last) {
    return ballots.computeIfAbsent(last, k -> new Ballot());
  }

  /** The session says that all lanes have committed up to {@code seq}: true in every view. */
  void acknowledged(long seq, Outbox out) {
    acked = Math.max(acked, seq);
    decided = Math.max(decided, seq);
    ballots.headMap(seq, true).clear();
    proofs.headMap(seq, true).clear();
    advance(seq, out);
  }

  /**
   * Another leader says that the lane has committed up to {@code seq} in a view; only the session
   * begins a view.
   */
  void confirmed(int inView, long seq, Outbox out) {
    if (inView == view) {
      advance(seq, out);
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
        continue; // not here yet, and so are all later ones of this leader; or not this leader's
      }
      if (!rules.hasAllVotes(x.batch, x.yes) || !rules.isConfirmed(x.batch, committed)) {
        break;
      }
      decided = x.batch.last();
      committed = Math.max(committed, decided);
      i.remove();
      proofs.put(decided, others(x));
      for (int p : x.batch.participants()) {
        tell(p, decided, out);
      }
    }
    answerWaiting(out);
  }

  private List<Yes> others(Ballot x) {
    return x.batch.participants().stream()
        .filter(p -> p != region.index())
        .map(p -> new Yes(p, x.yes.get(p).signature()))
        .toList();
  }

  private void askForConfirmation(Ballot x, Outbox out) {
    SubBatch b = x.batch;
    if (b != null
        && rules.hasAllVotes(b, x.yes)
        && !rules.isConfirmed(b, committed)
        && b.prevLeader() >= 0
        && b.prevLeader() != region.index()) {
      out.send(
          member(b.prevLeader()),
          new ConfirmQuery(region.index(), lane, mountEpoch, view, b.first() - 1));
    }
  }

  /** Another leader waits for this lane's commit of {@code seq}. */
  void query(ConfirmQuery q, Outbox out) {
    if (q.mountEpoch() != mountEpoch) {
      return;
    }
    waiting.computeIfAbsent(q.asker(), k -> new TreeMap<>()).merge(q.seq(), q.view(), Math::max);
    answerWaiting(out);
  }

  private void answerWaiting(Outbox out) {
    waiting.forEach(
        (asker, seqs) -> {
          if (seqs.headMap(decided, true).values().removeIf(asked -> asked <= view)) {
            tell(asker, decided, out);
          }
        });
  }

  private void tell(int toRegion, long batch, Outbox out) {
    if (toRegion == region.index()) {
      out.send(session(), commit(batch, proofs.getOrDefault(batch, List.of())));
    } else {
      out.send(member(toRegion), commit(decided, List.of()));
    }
  }

  private Commit commit(long seq, List<Yes> votes) {
    Commit bare = new Commit(region.index(), lane, mountEpoch, view, seq, new byte[0], votes);
    byte[] signature = signer.sign(Signer.laneName(region, lane), MessageCodec.signed(bare));
    return new Commit(region.index(), lane, mountEpoch, view, seq, signature, votes);
  }

  private Endpoint session() {
    return new Endpoint.Session(region.volume(), mountEpoch);
  }

  private Endpoint member(int ofRegion) {
    return new Endpoint.Member(new RegionId(region.volume(), ofRegion), lane);
  }
}
