package org.salus.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Lanes;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.message.Message.Vote;

/**
 * Finds out which member keeps a batch from being committed if nobody else does (paper §4.2.2). A
 * member cannot notice messages that are never sent to it. So the session asks the last member of
 * each chain whether its log has the batch. If not, M0 has kept it, because other members complain
 * of one another sooner. If all have it, a vote or a commit is held back in a lane. If views end
 * with a NO, its signature shows who said it. Whoever says NO again and again is complained of at
 * once.
 */
final class SessionBlame {
  /**
   * Periods of {@code resendAfterNanos} before a complaint: longer than every member takes to
   * complain.
   */
  static final int PATIENCE = 12;

  /**
   * The last periods before a complaint, in each of which the members are asked. A batch that
   * waited behind one that a complaint has helped gets only these.
   */
  private static final int GRACE = 4;

  /**
   * The NOs by which one member may end views within {@code NO_PERIODS} periods. Bytes that change
   * on the way cause a NO now and then. A member that says NO in each view lets one batch through
   * in each, so that no batch ever waits for long.
   */
  static final int NOES = 4;

  private static final int NO_PERIODS = 5 * PATIENCE;

  private static final int LAST = Lanes.COUNT - 1;

  /** The NOs of a member of this epoch. */
  private record Noes(int epoch, int count) {
    Noes and(Noes one) {
      return one.epoch == epoch ? new Noes(epoch, count + 1) : one;
    }
  }

  private final SessionContext c;

  /**
   * The last seq of the batch that is waited for, or 0. Its periods are counted in any view; a
   * clock that jumps counts as one period.
   */
  private long last;

  private int view;
  private long since;
  private int waited;
  private long asked;
  private final Map<Integer, StatusReply> replies = new TreeMap<>();

  /** The NO that ended a view since the batch is waited for, or null. */
  private Vote no;

  /**
   * The NOs that ended a view since {@code noesSince}, by the region and lane of who said them. A
   * wrong member ends as many views as it likes.
   */
  private final Map<Integer, Noes> noes = new TreeMap<>();

  private long noesSince;
  private int complaints;

  /** The last seq of the newest batch at the last complaint. */
  private long stalled;

  SessionBlame(SessionContext c) {
    this.c = c;
  }

  /**
   * @param oldest the oldest batch that is not committed, or null
   * @param newest the last seq of the newest one
   * @param missing a lane in which the leader has not committed {@code oldest}
   */
  void onTick(Batch oldest, long newest, int inView, int missing, long now) {
    view = inView;
    if (oldest == null || oldest.last != last) {
      last = oldest == null ? 0 : oldest.last;
      since = now;
      waited = last != 0 && last <= stalled ? PATIENCE - GRACE : 0;
      forget();
      no = null;
    } else if (c.rules.isOverdue(now - since, c.config.resendAfterNanos())) {
      since = now;
      waited++;
      if (waited > PATIENCE) {
        complain(oldest, missing);
        stalled = newest;
        waited = 0;
        forget();
      } else if (waited > PATIENCE - GRACE) {
        oldest.parts.keySet().forEach(r -> c.send(r, LAST, new StatusQuery(asked), null));
      }
    }
  }

  /** Forgets what members have said before. */
  private void forget() {
    asked = c.nextId();
    replies.clear();
  }

  /**
   * @param vote the NO that ended a view, signed by the voter
   */
  void aborted(Vote vote, long now) {
    no = vote;
    if (now - noesSince > NO_PERIODS * c.config.resendAfterNanos()) {
      noes.clear();
    }
    noesSince = noes.isEmpty() ? now : noesSince;
    int voter = vote.region() * Lanes.COUNT + vote.lane();
    Noes said = noes.merge(voter, new Noes(c.epochs[vote.region()], 1), Noes::and);
    if (said.count % NOES == 0) {
      complain(vote.region(), vote.lane(), "has ended " + NOES + " views by a NO");
    }
  }

  /** The number of members whose NOs are counted. */
  int counted() {
    return noes.size();
  }

  void onStatus(int region, StatusReply reply) {
    if (reply.id() == asked && reply.epoch() == c.epochs[region]) {
      replies.put(region, reply);
    }
  }

  private void complain(Batch b, int missing) {
    if (no != null) {
      complain(no.region(), no.lane(), b);
      no = null;
      return;
    }
    List<Integer> without =
        b.parts.keySet().stream().filter(r -> !has(replies.get(r), b.lastSeq(r))).toList();
    if (!without.isEmpty()) {
      without.forEach(r -> complain(r, 0, b));
    } else {
      List<Integer> suspects = new ArrayList<>(b.parts.keySet());
      suspects.remove((Integer) b.leader);
      suspects.add(0, b.leader);
      complain(suspects.get(complaints++ % suspects.size()), missing, b);
    }
  }

  private boolean has(StatusReply r, long seq) {
    return r != null && (r.view() > view || r.view() == view && r.lastSeq() >= seq);
  }

  private void complain(int region, int lane, Batch b) {
    complain(region, lane, "keeps batch " + b.first + ".." + b.last + " from being committed");
  }

  private void complain(int region, int lane, String what) {
    c.complain(region, lane, what);
  }
}
