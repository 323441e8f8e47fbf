package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.session.block.ReadTarget;
import org.salus.core.session.question.LeastLoaded;
import org.salus.core.session.question.Questions;
import org.salus.core.tree.Hashes;

/**
 * Reads from the member with the least load and checks every block against the volume tree (paper
 * §4.3). If a block is wrong or missing, it asks the next member. If no member has a block, they
 * are asked again, one after the other, until the request's time is over. The region's RRS may be
 * replaced by then. A PUT to a block waits for the reads of it, but not for those that no member
 * could answer. The bytes under way are bounded; what exceeds the bound waits here.
 */
final class ReadPath {
  /**
   * The most times that the wait for an answer doubles. It doubles with each member in turn that is
   * late, so that repeated questions do not overload members further.
   */
  private static final int MOST_DOUBLINGS = 4;

  /** The stripes of a long read for which pages are asked for at once. */
  private static final int STRIPES_AHEAD = 16;

  /** The part of a read that lies in one stripe. */
  private static final class Get extends Questions.About {
    final ReadRequest read;
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

    /** Whether its bytes count as under way. */
    boolean counted;

    /** The number of members in turn that did not answer in time. */
    int unanswered;

    Get(ReadRequest read, int region, long block, byte[][] expected, long prevNum) {
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
  private final WaitingReads waiting;
  private final Set<Get> gets = new LinkedHashSet<>();

  /** Those of them that no member could answer. */
  private final Set<Get> unanswerable = new LinkedHashSet<>();

  private final Questions<Get> questions = new Questions<>();

  /** The bytes of reads under way, by region. */
  private final long[] underWay;

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
    this.waiting = new WaitingReads(c.spec.regionCount());
    this.zeros = ByteBuffer.allocate(c.spec.blockSize()).asReadOnlyBuffer();
    this.underWay = new long[c.spec.regionCount()];
    this.unreadable = new Unreadable(c);
    this.members =
        Stream.generate(LeastLoaded::new).limit(c.spec.regionCount()).toArray(LeastLoaded[]::new);
  }

  void attach(WritePipeline pipeline) {
    writes = pipeline;
  }

  /**
   * @param since the time of the call
   */
  void add(long id, long first, long count, ReadTarget into, long since) {
    WriteRequest after = writes.lastQueued(first, first + count);
    waiting.add(new ReadRequest(id, first, count, into, false, since, after));
  }

  /** Reads a block to change it. Of its newest write, no server need know yet. */
  void addToChange(long id, long block, ReadTarget into, long since) {
    ByteBuffer recent = writes.recent(block);
    if (recent != null) {
      into.put(0, recent);
      c.out(new SessionEffect.Done(id));
    } else {
      WriteRequest after = writes.lastQueued(block, block + 1);
      waiting.add(new ReadRequest(id, block, 1, into, true, since, after));
    }
  }

  /**
   * Whether a PUT of these blocks waits for reads of them. A read that no member could answer
   * fails, so that the PUT can go on.
   */
  boolean putWaits(long from, long to) {
    if (!reading.subMap(from, to).isEmpty()) {
      for (Get g : List.copyOf(unanswerable)) {
        if (g.block < to && from < g.block + g.count) {
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

  /** More of a write is in batches. */
  void batched(WriteRequest w) {
    waiting.batched(w);
  }

  /**
   * Issues what may be issued: every earlier write to the blocks is batched, the tree knows them,
   * and their region has room for more bytes under way. A long read goes out part by part.
   */
  void pump(long now) {
    pages.takeArrived().forEach(waiting::arrived);
    for (ReadRequest r = waiting.next(); r != null; r = waiting.next()) {
      if (issue(r, now)) {
        waiting.remove(r);
        partDone(r);
      }
    }
  }

  /**
   * Asks for the parts of a read that may be asked for. Returns whether none is left; otherwise the
   * read waits.
   */
  private boolean issue(ReadRequest r, long now) {
    if (r.failed != null) {
      return true;
    }
    if (waiting.isRoomWanted(c.spec.region(r.next), r)) {
      waiting.awaitRoom(r, c.spec.region(r.next)); // it needs no pages yet
      return false;
    }
    WriteRequest before = r.next == r.first ? r.awaitedWrite() : null;
    if (c.rules.readWaits(before != null)) {
      waiting.awaitWrite(r, before);
      return false;
    }
    int stripe = c.spec.stripeBlocks();
    pages.ready(r.next, Math.min(r.end, r.next + (long) STRIPES_AHEAD * stripe), now);
    while (r.next < r.end) {
      int count = (int) (Math.min(r.end, r.next + stripe - r.next % stripe) - r.next);
      int region = c.spec.region(r.next);
      if (waiting.isRoomWanted(region, r)) {
        waiting.awaitRoom(r, region);
        return false;
      }
      if (!hasRoom(region, count)) {
        waiting.full(region);
        waiting.awaitRoom(r, region);
        return false;
      }
      PageFetcher.Key missing = pages.fetch(r.next, r.next + count, now);
      if (missing != null) {
        waiting.awaitPage(r, missing);
        return false;
      }
      issue(r, region, count, now);
      r.next += count;
    }
    return true;
  }

  private boolean hasRoom(int region, int count) {
    return underWay[region] == 0
        || underWay[region] + bytes(count) <= c.config.readBytesPerRegion();
  }

  private long bytes(int count) {
    return (long) count * c.spec.blockSize();
  }

  /** Asks for the read's next blocks, which lie in one stripe. */
  private void issue(ReadRequest r, int region, int count, long now) {
    byte[][] expected = new byte[count][];
    boolean data = false;
    for (int i = 0; i < count; i++) {
      expected[i] = c.trees[region].leaf(c.spec.local(r.next) + i);
      data |= !Hashes.isZero(expected[i]);
    }
    if (data) {
      r.parts++;
      hold(r.next, count, 1);
      Get g = new Get(r, region, r.next, expected, writes.lastPut(region, r.next, r.next + count));
      gets.add(g);
      send(g, members[region].choose(), now);
    } else {
      for (int i = 0; i < count; i++) {
        put(r, r.next + i, zeros);
      }
    }
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
    count(g, true);
    questions.ask(g, lane, id);
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

  /** Counts a part's bytes as under way, or no more. */
  private void count(Get g, boolean under) {
    if (g.counted != under) {
      g.counted = under;
      underWay[g.region] += under ? bytes(g.count) : -bytes(g.count);
      if (!under) {
        waiting.room(g.region);
      }
    }
  }

  /** Takes an answer, also one that is late: it may be all that the member can do. */
  void onReply(Endpoint.Member from, GetReply m, ByteBuffer payload, long now) {
    Long id = c.rules.question(questions.open(), m.id());
    Get g = id == null ? null : questions.about(id);
    // The lane is the one that was asked: the answer's own claim proves nothing.
    int lane = g == null ? 0 : questions.lane(g, id);
    if (g == null || !c.speaksFor(from, g.region, lane)) {
      return;
    }
    questions.answered(g, lane);
    boolean inTime = g.owed && lane == g.lane;
    if (inTime) {
      g.owed = false;
      g.unanswered = 0;
      members[g.region].answered(lane, m.load());
    }
    judge(g, lane, m, payload);
    if (g.isWhole()) {
      done(g);
    } else if (inTime) {
      again(g, now);
    }
  }

  /** Takes the right blocks of an answer, and holds what is wrong with it against its member. */
  private void judge(Get g, int lane, GetReply m, ByteBuffer payload) {
    String problem = m.failed() ? "could not read blocks" : fill(g, m.zero(), payload);
    if (problem == null) {
      g.evidence.forgive(lane);
      unanswerable.remove(g);
    } else if (g.evidence.isNew(lane)) {
      g.evidence.add(lane, !m.failed(), problem);
      if (m.failed()) {
        c.report(g.region, lane, false, problem);
      }
      if (g.evidence.isComplete() && !g.isWhole()) {
        unanswerable.add(g);
        unreadable.found(g.region, missing(g), g.evidence.text());
      }
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
    if (g.owed) {
      members[g.region].settled(g.lane);
    }
    end(g);
  }

  private void end(Get g) {
    gets.remove(g);
    unanswerable.remove(g);
    questions.forget(g);
    count(g, false);
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
    g.read.failed = why;
    waiting.call(g.read);
    end(g);
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
      count(g, false);
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
    return c.rules.isInTree(leaf, expected)
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

  private void put(ReadRequest r, long block, ByteBuffer bytes) {
    r.into.put((block - r.first) * c.spec.blockSize(), bytes);
  }

  private void partDone(ReadRequest r) {
    if (--r.parts > 0) {
      return;
    }
    if (r.failed != null) {
      c.out(new SessionEffect.Failed(r.id, r.failed));
    } else if (r.toChange) {
      c.out(new SessionEffect.Done(r.id)); // nobody sees it: only its change needs the lease
    } else {
      c.answers.read(new SessionEffect.Done(r.id));
    }
  }

  /** The region's RRS was replaced: asks the new members at once. */
  void replaced(int region, long now) {
    members[region].replaced();
    for (Get g : gets) {
      if (g.region == region) {
        questions.forget(g);
        g.evidence.clear();
        unanswerable.remove(g);
        g.unanswered = 0;
        send(g, members[region].choose(), now);
      }
    }
  }

  void onTick(long now) {
    for (Get g : List.copyOf(gets)) {
      if (isLate(g.read, now)) {
        fail(g, g.evidence.isComplete() ? SessionError.INTEGRITY : SessionError.TIMED_OUT);
      } else if (now - g.sentAt
          >= c.config.resendAfterNanos() << Math.min(g.unanswered, MOST_DOUBLINGS)) {
        late(g);
        send(g, next(g.lane), now);
      }
    }
    for (ReadRequest r = waiting.oldest(); r != null && isLate(r, now); r = waiting.oldest()) {
      waiting.remove(r);
      r.failed =
          pages.isUnreadable(r.next, r.end) ? SessionError.INTEGRITY : SessionError.TIMED_OUT;
      partDone(r);
    }
  }

  private boolean isLate(ReadRequest r, long now) {
    return now - r.since >= c.config.requestTimeoutNanos();
  }

  /** Forgets every read that is not done, and returns their ids. */
  List<Long> drain() {
    Set<Long> ids = new LinkedHashSet<>();
    waiting.all().forEach(r -> ids.add(r.id));
    gets.forEach(g -> ids.add(g.read.id));
    waiting.clear();
    gets.clear();
    unanswerable.clear();
    questions.clear();
    reading.clear();
    return List.copyOf(ids);
  }

  boolean isIdle() {
    return waiting.isEmpty() && gets.isEmpty();
  }
}
