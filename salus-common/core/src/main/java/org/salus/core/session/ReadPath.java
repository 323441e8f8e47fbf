package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.tree.Hashes;

/**
 * Reads from the member with the least load and checks every block against the volume tree (paper
 * §4.3). If a block is wrong or missing, it asks the next member. If no member has a block, they
 * are asked again, one after the other, until the request's time is over. The region's RRS may be
 * replaced by then. A PUT to a block waits for the reads of it, but not for those that no member
 * could answer.
 */
final class ReadPath {
  /**
   * The most times that the wait for an answer doubles. It doubles with each member in turn that is
   * late, so that repeated questions do not overload members further.
   */
  private static final int MOST_DOUBLINGS = 4;

  /** An application's read. */
  private static final class Read {
    final long id;
    final long first;
    final ReadTarget into;
    final long since;
    final long count;
    int parts;
    SessionError failed;

    Read(long id, long first, long count, ReadTarget into, long since) {
      this.id = id;
      this.first = first;
      this.into = into;
      this.count = count;
      this.since = since;
    }
  }

  /** The part of a read that lies in one stripe. */
  private static final class Get {
    final Read read;
    final int region;
    final long block;
    final int count;
    final byte[][] expected;
    final long prevNum;

    /** The blocks that a member has answered rightly, by index in this part. */
    final BitSet right = new BitSet();

    final Evidence evidence = new Evidence();
    int lane;

    /** Whether the member that was asked last owes an answer. */
    boolean owed;

    long sentAt;

    /** The number of members in turn that did not answer in time. */
    int unanswered;

    Get(Read read, int region, long block, byte[][] expected, long prevNum) {
      this.read = read;
      this.region = region;
      this.block = block;
      this.count = expected.length;
      this.expected = expected;
      this.prevNum = prevNum;
    }

    boolean isWhole() {
      return right.cardinality() == count;
    }
  }

  private final SessionContext c;
  private final PageFetcher pages;
  private final Deque<Read> delayed = new ArrayDeque<>();
  private final TreeMap<Long, Get> gets = new TreeMap<>();

  /** The number of reads in flight, by block. */
  private final TreeMap<Long, Integer> reading = new TreeMap<>();

  /** A block of zeros. */
  private final ByteBuffer zeros;

  private final Unreadable unreadable;
  private final LeastLoaded[] members;
  private WritePipeline writes;

  ReadPath(SessionContext c, PageFetcher pages) {
    this.c = c;
    this.pages = pages;
    this.zeros = ByteBuffer.allocate(c.spec.blockSize()).asReadOnlyBuffer();
    this.unreadable = new Unreadable(c);
    this.members =
        Stream.generate(LeastLoaded::new).limit(c.spec.regionCount()).toArray(LeastLoaded[]::new);
  }

  void attach(WritePipeline pipeline) {
    writes = pipeline;
  }

  void add(long id, long first, long count, ReadTarget into, long now) {
    delayed.add(new Read(id, first, count, into, now));
  }

  /**
   * Whether a PUT of these blocks waits for reads of them. A read that no member could answer
   * fails, so that the PUT can go on.
   */
  boolean putWaits(long from, long to) {
    if (!reading.subMap(from, to).isEmpty()) {
      for (Map.Entry<Long, Get> e : new TreeMap<>(gets).entrySet()) {
        Get g = e.getValue();
        if (g.evidence.isComplete() && g.block < to && from < g.block + g.count) {
          gets.remove(e.getKey());
          fail(g, SessionError.INTEGRITY);
        }
      }
    }
    return c.rules.putWaits(reading.subMap(from, to));
  }

  /** Notes that these blocks are written anew. */
  void overwritten(long from, long to) {
    unreadable.forget(from, to);
  }

  /**
   * Issues what may be issued: every earlier write to the blocks is batched, and the tree knows
   * them.
   */
  void pump(long now) {
    for (Iterator<Read> i = delayed.iterator(); i.hasNext(); ) {
      Read r = i.next();
      if (!writes.isQueued(r.first, r.first + r.count)
          && pages.ready(r.first, r.first + r.count, now)) {
        i.remove();
        issue(r, now);
      }
    }
  }

  private void issue(Read r, long now) {
    int stripe = c.spec.stripeBlocks();
    r.parts = 1;
    long to = r.first + r.count;
    for (long b = r.first; b < to; b += stripe - b % stripe) {
      int n = (int) (Math.min(to, b + stripe - b % stripe) - b);
      int region = c.spec.region(b);
      byte[][] expected = new byte[n][];
      boolean data = false;
      for (int i = 0; i < n; i++) {
        expected[i] = c.trees[region].leaf(c.spec.local(b) + i);
        data |= !Hashes.isZero(expected[i]);
      }
      if (data) {
        r.parts++;
        hold(b, n, 1);
        send(
            new Get(r, region, b, expected, writes.lastPut(b, b + n)),
            members[region].choose(),
            now);
      } else {
        for (int i = 0; i < n; i++) {
          put(r, b + i, zeros);
        }
      }
    }
    partDone(r);
  }

  private void hold(long block, int count, int by) {
    for (long b = block; b < block + count; b++) {
      reading.merge(b, by, (x, y) -> x + y == 0 ? null : x + y);
    }
  }

  private void send(Get g, int lane, long now) {
    long id = c.nextId();
    g.lane = lane;
    g.owed = true;
    g.sentAt = now;
    gets.put(id, g);
    members[g.region].asked(lane);
    c.send(
        g.region,
        lane,
        new GetRequest(
            id,
            c.epochs[g.region],
            c.mountEpoch,
            g.prevNum,
            c.acked,
            c.spec.local(g.block),
            g.count),
        null);
  }

  void onReply(Endpoint.Member from, GetReply m, ByteBuffer payload, long now) {
    Get g = gets.get(m.id());
    if (g == null || !c.speaksFor(from, g.region, g.lane)) {
      return;
    }
    gets.remove(m.id());
    g.owed = false;
    g.unanswered = 0;
    members[g.region].answered(g.lane, m.load());
    // The lane is the one that was asked: the answer's own claim proves nothing.
    String problem = m.failed() ? "could not read blocks" : fill(g, m.zero(), payload);
    if (problem == null) {
      g.evidence.forgive(g.lane);
    } else if (g.evidence.isNew(g.lane)) {
      g.evidence.add(g.lane, !m.failed(), problem);
      if (m.failed()) {
        c.out(new SessionEffect.Report(g.region, c.epochs[g.region], g.lane, false, problem));
      }
      if (g.evidence.isComplete() && !g.isWhole()) {
        unreadable.found(g.region, missing(g), g.evidence.text());
      }
    }
    if (g.isWhole()) {
      done(g);
    } else {
      again(g, now);
    }
  }

  private static List<Long> missing(Get g) {
    List<Long> blocks = new ArrayList<>();
    for (int i = g.right.nextClearBit(0); i < g.count; i = g.right.nextClearBit(i + 1)) {
      blocks.add(g.block + i);
    }
    return blocks;
  }

  /**
   * Ends a part whose blocks are all right. Right answers prove that other members' answers were
   * wrong.
   */
  private void done(Get g) {
    g.evidence.report(c, g.region, true);
    unreadable.forget(g.block, g.block + g.count);
    hold(g.block, g.count, -1);
    partDone(g.read);
  }

  private void late(Get g) {
    if (g.owed) {
      g.owed = false;
      g.unanswered++;
      members[g.region].late(g.lane);
    }
  }

  private void fail(Get g, SessionError why) {
    late(g);
    if (!g.evidence.isComplete()) {
      g.evidence.report(c, g.region, false);
    }
    hold(g.block, g.count, -1);
    g.read.failed = why;
    partDone(g.read);
  }

  /**
   * Asks the next member that has not answered wrongly yet. If all have, it asks the next one after
   * a while.
   */
  private void again(Get g, long now) {
    int lane = next(g.lane);
    for (int i = 1; i < Lanes.COUNT && !g.evidence.isNew(lane); i++) {
      lane = next(lane);
    }
    if (g.evidence.isNew(lane)) {
      send(g, lane, now);
    } else {
      g.sentAt = now;
      gets.put(c.nextId(), g);
    }
  }

  /**
   * Copies the blocks that the tree confirms to where they belong. Returns the first difference, or
   * null.
   */
  private String fill(Get g, byte[] zero, ByteBuffer payload) {
    if (zero.length * 8 < g.count) {
      return "sent an answer for fewer blocks than were asked for";
    }
    int size = c.spec.blockSize();
    int at = payload == null ? 0 : payload.position();
    String problem = null;
    for (int i = 0; i < g.count; i++) {
      boolean isZero = (zero[i / 8] >> i % 8 & 1) != 0;
      ByteBuffer block =
          isZero || payload == null || payload.limit() - at < size ? null : payload.slice(at, size);
      at += block == null ? 0 : size;
      String wrong = wrong(isZero, block, g.expected[i]);
      if (wrong == null) {
        g.right.set(i);
        put(g.read, g.block + i, block == null ? zeros : block);
      } else if (problem == null) {
        problem =
            "sent blocks that the volume tree does not confirm (block "
                + (g.block + i)
                + ": "
                + wrong
                + ")";
      }
    }
    return problem;
  }

  /**
   * Says what is wrong with a block, or returns null; {@code block} is null if the answer has no
   * data for it.
   */
  private String wrong(boolean isZero, ByteBuffer block, byte[] expected) {
    if (isZero != Hashes.isZero(expected)) {
      return isZero ? "zeros instead of data" : "data instead of zeros";
    }
    if (isZero) {
      return null;
    }
    if (block == null) {
      return "no data";
    }
    byte[] leaf = c.hashes.leaf(block);
    return c.rules.isConfirmed(leaf, expected)
        ? null
        : "hash " + hex(leaf) + " instead of " + hex(expected);
  }

  /** The beginning of a hash, enough to tell it from others. */
  private static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash, 0, 8);
  }

  private static int next(int lane) {
    return (lane + 1) % Lanes.COUNT;
  }

  private void put(Read r, long block, ByteBuffer bytes) {
    r.into.put((block - r.first) * c.spec.blockSize(), bytes);
  }

  private void partDone(Read r) {
    if (--r.parts == 0) {
      c.out(
          r.failed == null
              ? new SessionEffect.Done(r.id)
              : new SessionEffect.Failed(r.id, r.failed));
    }
  }

  /** The region's RRS was replaced: asks the new members at once. */
  void replaced(int region, long now) {
    members[region].replaced();
    for (Map.Entry<Long, Get> e : new TreeMap<>(gets).entrySet()) {
      Get g = e.getValue();
      if (g.region == region) {
        gets.remove(e.getKey());
        g.evidence.clear();
        g.unanswered = 0;
        send(g, members[region].choose(), now);
      }
    }
  }

  void onTick(long now) {
    for (Map.Entry<Long, Get> e : new TreeMap<>(gets).entrySet()) {
      Get g = e.getValue();
      if (isLate(g.read, now)) {
        gets.remove(e.getKey());
        fail(g, g.evidence.isComplete() ? SessionError.INTEGRITY : SessionError.TIMED_OUT);
      } else if (now - g.sentAt
          >= c.config.resendAfterNanos() << Math.min(g.unanswered, MOST_DOUBLINGS)) {
        gets.remove(e.getKey());
        late(g);
        send(g, next(g.lane), now);
      }
    }
    for (Iterator<Read> i = delayed.iterator(); i.hasNext(); ) {
      Read r = i.next();
      if (isLate(r, now)) {
        i.remove();
        c.out(
            new SessionEffect.Failed(
                r.id,
                pages.isUnreadable(r.first, r.first + r.count)
                    ? SessionError.INTEGRITY
                    : SessionError.TIMED_OUT));
      }
    }
  }

  private boolean isLate(Read r, long now) {
    return now - r.since >= c.config.requestTimeoutNanos();
  }

  /** Forgets every read that is not done, and returns their ids. */
  List<Long> drain() {
    List<Long> ids = new ArrayList<>();
    delayed.forEach(r -> ids.add(r.id));
    gets.values().stream().map(g -> g.read.id).distinct().forEach(ids::add);
    delayed.clear();
    gets.clear();
    reading.clear();
    return ids;
  }

  boolean isIdle() {
    return delayed.isEmpty() && gets.isEmpty();
  }
}
