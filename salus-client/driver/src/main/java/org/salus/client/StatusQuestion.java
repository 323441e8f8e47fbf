package org.salus.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.salus.client.cluster.Nodes;
import org.salus.core.Endpoint;
import org.salus.core.VolumeSpec;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.MemberFigures;

/** Asks all members of a volume for their status and waits up to 2 s for the answers. */
final class StatusQuestion {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int TRIES = 4;

  private final Map<Endpoint, StatusReply> answers = new ConcurrentHashMap<>();

  private StatusQuestion() {}

  /**
   * @param rrs the regions' records in order, null for a region without one
   * @param deadline the end of the wait for all but the first question, in nanoseconds of {@link
   *     System#nanoTime}
   */
  static StatusQuestion ask(VolumeSpec spec, List<RrsRecord> rrs, Nodes nodes, long deadline) {
    StatusQuestion q = new StatusQuestion();
    // Mount epochs are positive, so a negative one names no session.
    Endpoint self =
        new Endpoint.Session(spec.id(), -1 - ThreadLocalRandom.current().nextLong(Long.MAX_VALUE));
    int expected = rrs.stream().mapToInt(r -> r == null ? 0 : r.members().size()).sum();
    CountDownLatch all = new CountDownLatch(expected);
    nodes.register(
        self,
        (node, from, message, payload) -> {
          boolean asked = node(rrs, from).equals(node);
          if (asked && message instanceof StatusReply r && q.answers.put(from, r) == null) {
            all.countDown();
          }
        });
    try {
      boolean done = expected == 0;
      for (int i = 0; i < TRIES && !done; i++) {
        q.send(spec, rrs, nodes, self);
        done = all.await(patience(i, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      nodes.unregister(self);
    }
    return q;
  }

  /**
   * How long to wait for answers, in nanoseconds. The first question always has its whole time, so
   * that a member that is asked late does not look as if it did not answer.
   *
   * @param question its number, from 0
   * @param left nanoseconds until the deadline; may be negative
   */
  static long patience(int question, long left) {
    long whole = PATIENCE.toNanos() / TRIES;
    return question == 0 ? whole : Math.min(whole, Math.max(0, left));
  }

  /** The node of a member, or an empty text when it is none. */
  private static String node(List<RrsRecord> rrs, Endpoint.Member member) {
    int region = member.region().index();
    RrsRecord r = region >= 0 && region < rrs.size() ? rrs.get(region) : null;
    return r != null && member.lane() >= 0 && member.lane() < r.members().size()
        ? r.members().get(member.lane()).node()
        : "";
  }

  private void send(VolumeSpec spec, List<RrsRecord> rrs, Nodes nodes, Endpoint self) {
    for (int region = 0; region < rrs.size(); region++) {
      RrsRecord r = rrs.get(region);
      for (int lane = 0; r != null && lane < r.members().size(); lane++) {
        Endpoint to = new Endpoint.Member(spec.regionId(region), lane);
        if (!answers.containsKey(to)) {
          nodes.send(r.members().get(lane).node(), self, to, new StatusQuery(0), null);
        }
      }
    }
  }

  /** The answers of a region's members in chain order, null for a member that did not answer. */
  List<StatusReply> replies(VolumeSpec spec, int region, int members) {
    List<StatusReply> replies = new ArrayList<>();
    for (int lane = 0; lane < members; lane++) {
      replies.add(answers.get(new Endpoint.Member(spec.regionId(region), lane)));
    }
    return replies;
  }

  /** A summary of a member's answer; null when there is none. */
  static VolumeInfo.Status status(StatusReply r) {
    if (r == null) {
      return null;
    }
    MemberFigures f = MemberFigures.of(r);
    return new VolumeInfo.Status(
        f.serving(),
        f.watermark(),
        f.segments(),
        f.segmentBytes(),
        f.checkpoints(),
        f.checkpointBytes(),
        f.builds());
  }
}
