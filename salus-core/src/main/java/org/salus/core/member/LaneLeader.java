package org.salus.core.member;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.ConfirmQuery;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.MessageCodec;
import org.salus.core.message.Refusal;

/**
 * The batch leader of one lane (paper §4.1, PC3): commits a batch when every participant's member of this lane has voted
 * YES and the lane has committed everything before it, which the leader of the batch before confirms. Commits are
 * cumulative, so a later one stands for every earlier one that got lost.
 *
 * <p>Votes and commits count within their view: a session begins a new one whenever it hears that members were replaced,
 * so that all votes of a view on a region's part come from one epoch, and a member that was replaced unawares has no voice.
 */
class LaneLeader {

  /** What is known of one batch; votes may come before the leader's own sub-batch. */
  private static final class Ballot {
    final int view;
    final TreeSet<Integer> yes = new TreeSet<>();
    SubBatch batch;
    Refusal no;

    Ballot(int view) {
      this.view = view;
    }
  }

  private final RegionId region;
  private final int lane;
  private final Signer signer;
  private final TreeMap<Long, Ballot> ballots = new TreeMap<>();
  /** What other leaders wait for, and in which view, by region. */
  private final TreeMap<Integer, TreeMap<Long, Integer>> waiting = new TreeMap<>();
  private long mountEpoch;
  private int view;
  private long acked;
  private long committed;

  LaneLeader(RegionId region, int lane, Signer signer) {
    this.region = region;
    this.lane = lane;
    this.signer = signer;
  }

  /** A new mount begins; nothing of the one before counts. */
  void reset(long newMountEpoch) {
    mountEpoch = newMountEpoch;
    view = 0;
    acked = 0;
    committed = 0;
    ballots.clear();
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
      committed = acked;
      ballots.values().removeIf(x -> x.view < view);
    }
  }

  /** The leader's own sub-batch says who takes part. */
  void begin(SubBatch b) {
    Ballot x = b.last() <= committed ? null : ballot(b.last(), b.view());
    if (x != null) {
      x.batch = b;
    }
  }

  /** A vote of this lane, this member's own ones too. */
  void vote(Vote v, Outbox out) {
    if (v.mountEpoch() != mountEpoch || v.view() < view) {
      return;
    }
    if (v.last() <= committed) {
      tell(v.region(), out);
      return;
    }
    Ballot x = ballot(v.last(), v.view());
    if (x == null) {
      return;
    }
    if (v.no() != null) {
      x.no = v.no();
      out.send(session(), new Abort(region.index(), lane, mountEpoch, v.view(), v.last(), v.no()));
      return;
    }
    x.yes.add(v.region());
    decide(out);
    if (v.last() > committed) {
      askForConfirmation(x, out);
    }
  }

  private Ballot ballot(long last, int view) {
    Ballot x = ballots.get(last);
    if (x == null || x.view < view) {
      x = new Ballot(view);
      ballots.put(last, x);
    }
    return x.view == view ? x : null;
  }

  /** The session says that all lanes have committed up to {@code seq}: true in every view. */
  void acknowledged(long seq, Outbox out) {
    acked = Math.max(acked, seq);
    advance(seq, out);
  }

  /** Another leader says that the lane has committed up to {@code seq} in a view. */
  void confirmed(int inView, long seq, Outbox out) {
    enter(inView);
    if (inView == view) {
      advance(seq, out);
    }
  }

  private void advance(long seq, Outbox out) {
    if (seq > committed) {
      committed = seq;
      ballots.headMap(seq, true).clear();
      decide(out);
      answerWaiting(out);
    }
  }

  /** Whether the lane may commit this batch: every vote is YES, and everything before it is committed. */
  boolean mayCommit(SubBatch batch, TreeSet<Integer> yes) {
    return yes.containsAll(batch.participants()) && isConfirmed(batch);
  }

  /** COMMIT-CONFIRMATION of the batch before. */
  boolean isConfirmed(SubBatch batch) {
    return committed >= batch.first() - 1;
  }

  private void decide(Outbox out) {
    for (Iterator<Map.Entry<Long, Ballot>> i = ballots.entrySet().iterator(); i.hasNext();) {
      Ballot x = i.next().getValue();
      if (x.batch == null || x.no != null || !mayCommit(x.batch, x.yes)) {
        break;
      }
      committed = Math.max(committed, x.batch.last());
      i.remove();
      for (int p : x.batch.participants()) {
        if (p != region.index()) {
          tell(p, out);
        }
      }
      out.send(session(), commit());
    }
    answerWaiting(out);
  }

  private void askForConfirmation(Ballot x, Outbox out) {
    SubBatch b = x.batch;
    if (b != null && x.yes.containsAll(b.participants()) && !isConfirmed(b) && b.prevLeader() >= 0 && b.prevLeader() != region.index()) {
      out.send(member(b.prevLeader()), new ConfirmQuery(region.index(), lane, mountEpoch, view, b.first() - 1));
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
    waiting.forEach((asker, seqs) -> {
      if (seqs.headMap(committed, true).values().removeIf(asked -> asked <= view)) {
        tell(asker, out);
      }
    });
  }

  private void tell(int toRegion, Outbox out) {
    if (toRegion == region.index()) {
      out.send(session(), commit());
    } else {
      out.send(member(toRegion), commit());
    }
  }

  private Commit commit() {
    Commit bare = new Commit(region.index(), lane, mountEpoch, view, committed, new byte[0]);
    byte[] signature = signer.sign(Signer.laneName(region, lane), MessageCodec.signed(bare));
    return new Commit(region.index(), lane, mountEpoch, view, committed, signature);
  }

  private Endpoint session() {
    return new Endpoint.Session(region.volume(), mountEpoch);
  }

  private Endpoint member(int ofRegion) {
    return new Endpoint.Member(new RegionId(region.volume(), ofRegion), lane);
  }
}
