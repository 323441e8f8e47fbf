package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Lanes;
import org.salus.core.effect.Effect;
import org.salus.core.effect.Effect.SessionError;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.tree.Hashes;

/**
 * Reads from whichever member has least to do, checks every block against the volume tree and asks the next member when
 * one does not fit or does not come (paper §4.3). A PUT to a block waits for the reads of it.
 */
class ReadPath {

  /** An application's read. */
  private static final class Read {
    final long id;
    final long first;
    final ByteBuffer into;
    final long since;
    final long count;
    int parts;
    SessionError failed;

    Read(long id, long first, ByteBuffer into, long count, long since) {
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
    int lane;
    int mismatches;
    long sentAt;

    Get(Read read, int region, long block, byte[][] expected, long prevNum) {
      this.read = read;
      this.region = region;
      this.block = block;
      this.count = expected.length;
      this.expected = expected;
      this.prevNum = prevNum;
    }
  }

  private final SessionContext c;
  private final PageFetcher pages;
  private final Deque<Read> delayed = new ArrayDeque<>();
  private final TreeMap<Long, Get> gets = new TreeMap<>();
  /** Reads in flight by block. */
  private final TreeMap<Long, Integer> reading = new TreeMap<>();
  private final int[][] load;
  private int turn;
  private WritePipeline writes;

  ReadPath(SessionContext c, PageFetcher pages) {
    this.c = c;
    this.pages = pages;
    this.load = new int[c.spec.regionCount()][Lanes.COUNT];
  }

  void attach(WritePipeline pipeline) {
    writes = pipeline;
  }

  void add(long id, long first, ByteBuffer into, long now) {
    delayed.add(new Read(id, first, into, into.remaining() / c.spec.blockSize(), now));
  }

  /** Whether a read of one of these blocks is in flight. */
  boolean isReading(long from, long to) {
    return !reading.subMap(from, to).isEmpty();
  }

  /** Issues what may be issued: every earlier write to the blocks is batched, and the tree knows them. */
  void pump(long now) {
    for (Iterator<Read> i = delayed.iterator(); i.hasNext();) {
      Read r = i.next();
      if (!writes.isQueued(r.first, r.first + r.count) && pages.ready(r.first, r.first + r.count, now)) {
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
        send(new Get(r, region, b, expected, writes.lastPut(b, b + n)), leastLoaded(region), now);
      } else {
        zero(r, b, n);
      }
    }
    partDone(r);
  }

  private void hold(long block, int count, int by) {
    for (long b = block; b < block + count; b++) {
      reading.merge(b, by, (x, y) -> x + y == 0 ? null : x + y);
    }
  }

  /** Of those that have equally much to do, one after the other. */
  private int leastLoaded(int region) {
    int lanes = Lanes.COUNT;
    turn = (turn + 1) % lanes;
    int best = turn;
    for (int i = 1; i < lanes; i++) {
      int lane = (turn + i) % lanes;
      best = load[region][lane] < load[region][best] ? lane : best;
    }
    return best;
  }

  private void send(Get g, int lane, long now) {
    long id = c.nextId();
    g.lane = lane;
    g.sentAt = now;
    gets.put(id, g);
    load[g.region][lane]++;
    c.send(g.region, lane, new GetRequest(id, c.epochs[g.region], c.mountEpoch, g.prevNum, c.acked, c.spec.local(g.block), g.count), null);
  }

  void onReply(GetReply m, ByteBuffer payload, long now) {
    Get g = gets.remove(m.id());
    if (g == null) {
      return;
    }
    load[g.region][g.lane] = Math.max(0, m.load());
    String problem = m.failed() ? "could not read blocks" : fill(g, m.zero(), payload);
    if (problem == null) {
      hold(g.block, g.count, -1);
      partDone(g.read);
      return;
    }
    // The lane is the one that was asked: what the answer says of itself proves nothing.
    c.out(new Effect.Report(g.region, c.epochs[g.region], g.lane, !m.failed(), problem));
    g.mismatches++;
    if (g.mismatches >= 2 * Lanes.COUNT) {
      hold(g.block, g.count, -1);
      g.read.failed = SessionError.INTEGRITY;
      partDone(g.read);
    } else {
      send(g, next(g.lane), now);
    }
  }

  /** Copies the blocks to where they belong, if every one is what the tree says; else what differs. */
  private String fill(Get g, byte[] zero, ByteBuffer payload) {
    if (zero.length * 8 < g.count) {
      return "sent an answer for fewer blocks than were asked for";
    }
    int size = c.spec.blockSize();
    int at = payload == null ? 0 : payload.position();
    for (int i = 0; i < g.count; i++) {
      boolean isZero = (zero[i / 8] >> i % 8 & 1) != 0;
      if (isZero != Hashes.isZero(g.expected[i])) {
        return unconfirmed(g, i, isZero ? "zeros instead of data" : "data instead of zeros");
      }
      if (!isZero) {
        if (payload == null || payload.limit() - at < size) {
          return unconfirmed(g, i, "no data");
        }
        if (!isRight(payload.slice(at, size), g.expected[i])) {
          return unconfirmed(g, i, "hash " + hex(c.hashes.leaf(payload.slice(at, size))) + " instead of " + hex(g.expected[i]));
        }
        put(g.read, g.block + i, payload.slice(at, size));
        at += size;
      } else {
        zero(g.read, g.block + i, 1);
      }
    }
    return null;
  }

  private static String unconfirmed(Get g, int i, String how) {
    return "sent blocks that the volume tree does not confirm (block " + (g.block + i) + ": " + how + ")";
  }

  /** Enough of a hash to tell it from others. */
  private static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash, 0, 8);
  }

  /** Whether this block is the one that the volume tree has there; replaceable in tests. */
  boolean isRight(ByteBuffer block, byte[] leaf) {
    return Arrays.equals(c.hashes.leaf(block), leaf);
  }

  /** Whom to ask after this lane's member; replaceable in tests. */
  int next(int lane) {
    return (lane + 1) % Lanes.COUNT;
  }

  private void put(Read r, long block, ByteBuffer bytes) {
    int size = c.spec.blockSize();
    r.into.slice(r.into.position() + (int) (block - r.first) * size, size).put(bytes);
  }

  private void zero(Read r, long block, int count) {
    int size = c.spec.blockSize();
    clear(r.into.slice(r.into.position() + (int) (block - r.first) * size, count * size));
  }

  private static void clear(ByteBuffer zeros) {
    while (zeros.remaining() >= Long.BYTES) {
      zeros.putLong(0);
    }
  }

  private void partDone(Read r) {
    if (--r.parts == 0) {
      c.out(r.failed == null ? new Effect.Done(r.id) : new Effect.Failed(r.id, r.failed));
    }
  }

  /** The region's RRS was replaced: asks the new members at once. */
  void replaced(int region, long now) {
    for (Map.Entry<Long, Get> e : new TreeMap<>(gets).entrySet()) {
      if (e.getValue().region == region) {
        gets.remove(e.getKey());
        send(e.getValue(), leastLoaded(region), now);
      }
    }
  }

  void onTick(long now) {
    for (Map.Entry<Long, Get> e : new TreeMap<>(gets).entrySet()) {
      Get g = e.getValue();
      if (now - g.sentAt >= c.config.resendAfterNanos()) {
        gets.remove(e.getKey());
        load[g.region][g.lane]++; // it is slow: prefer others
        if (now - g.read.since >= c.config.requestTimeoutNanos()) {
          hold(g.block, g.count, -1);
          g.read.failed = SessionError.TIMED_OUT;
          partDone(g.read);
        } else {
          send(g, next(g.lane), now);
        }
      }
    }
  }

  /** Every read that is not done; they are forgotten. */
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
