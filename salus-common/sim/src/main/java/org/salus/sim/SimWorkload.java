package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Random;

/** The application: random writes, reads, zeroings and flushes, many of them outstanding. */
final class SimWorkload {
  private static final int OUTSTANDING = 40;

  /** A client that races has more outstanding: its writes may wait for long. */
  private static final int MOST_RACING = 80;

  /** The number of blocks, from the first on, that are used most. */
  private static final int HOT = 16;

  /** The number of blocks for which clients race. */
  private static final int RACED = 3;

  /** They are outside of the hot spot, so that few other writes hold reads of them up. */
  private static final int FIRST_RACED = HOT;

  private final Simulation sim;
  private final Random random;

  /** Whether this application ever asks for durability. */
  private final boolean flushes;

  private long lastId;
  private int left;

  SimWorkload(Simulation sim, Random random) {
    this.sim = sim;
    this.random = random;
    this.flushes = random.nextInt(3) > 0;
  }

  void start(int requests) {
    left = requests;
    next();
  }

  boolean issuedAll() {
    return left == 0;
  }

  private void next() {
    if (left > 0) {
      SimSession s = sim.clients().any();
      if (s != null && s.outstanding.size() < OUTSTANDING && !s.onlyReads()) {
        left--;
        s.issue(request());
      }
      sim.clock.after(
          Clock.MICRO * (1 + random.nextInt(random.nextInt(10) == 0 ? 40_000 : 2_000)), this::next);
    }
  }

  /**
   * While a client is cut off, its application goes on reading blocks, and that of the newest
   * client writes and reads them, or only reads them: then nothing but what it must not show yet
   * holds its reads up.
   */
  void race(SimClient cutOff) {
    if (!cutOff.isCutOff()) {
      return;
    }
    for (SimSession s : sim.clients().racing(cutOff)) {
      if (s.outstanding.size() < MOST_RACING) {
        boolean writes = s.client != cutOff && !s.onlyReads() && random.nextInt(3) > 0;
        s.issue(request(writes ? 'w' : 'r', raced(), 1));
      }
    }
    sim.clock.after(Clock.MILLI * (1 + random.nextInt(15)), () -> race(cutOff));
  }

  private long raced() {
    long stripe = sim.spec.stripeBlocks();
    return (FIRST_RACED + random.nextInt(RACED) * stripe) % sim.spec.blockCount();
  }

  private SimSession.Request request() {
    int dice = random.nextInt(100);
    char kind =
        dice < 55
            ? 'w'
            : dice < 60 && flushes ? 's' : dice < 68 ? zeroing() : dice < 73 && flushes ? 'f' : 'r';
    int most = random.nextInt(10) == 0 ? 40 : 6;
    int count = kind == 'f' ? 0 : 1 + random.nextInt(kind == 'z' || kind == 'Z' ? 3 * most : most);
    long block = random.nextInt((int) sim.spec.blockCount() - count + 1);
    if (random.nextInt(3) == 0) {
      block %= HOT;
    }
    return request(isPartial(kind, count) ? 'p' : kind, block, count);
  }

  /** Whether a write changes only a part of its block, as half of those of one block do. */
  private boolean isPartial(char kind, int count) {
    return kind == 'w' && count == 1 && lastId % 2 == 0;
  }

  private SimSession.Request request(char kind, long block, int count) {
    ByteBuffer buffer =
        switch (kind) {
          case 'w', 's', 'p' -> sim.content(count, random);
          case 'r' -> ByteBuffer.allocate(count * sim.spec.blockSize());
          default -> null;
        };
    return new SimSession.Request(++lastId, kind, block, count, buffer, sim.now());
  }

  /** The kind of a zeroing request. Some must be on disk when they are done. */
  private char zeroing() {
    return flushes && random.nextInt(4) == 0 ? 'Z' : 'z';
  }

  /** Reads the whole volume. */
  void readBack(SimSession s) {
    int step = 64;
    for (long b = 0; b < sim.spec.blockCount(); b += step) {
      int n = (int) Math.min(step, sim.spec.blockCount() - b);
      s.issue(
          new SimSession.Request(
              ++lastId, 'r', b, n, ByteBuffer.allocate(n * sim.spec.blockSize()), sim.now()));
    }
  }
}
