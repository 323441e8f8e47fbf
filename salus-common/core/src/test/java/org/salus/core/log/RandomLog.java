package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

/**
 * A random log of one region, as the sessions of a volume of two regions write it. It is read from
 * every manifest on, and each reader is compared with the one that has read all of it.
 */
final class RandomLog {
  private static final int HERE = 0;
  private static final int ELSEWHERE = 1;
  private static final byte[] HASH = new byte[Hashes.BYTES];

  /**
   * A batch of the volume that no resolution has discarded.
   *
   * @param lastHere the last seq of this region's part, if it has one
   */
  private record Issued(long first, long last, long lastHere, List<Integer> regions, byte[] root) {
    boolean isHere() {
      return regions.contains(HERE);
    }
  }

  /**
   * Who reads the log from the manifest at a segment's head on.
   *
   * @param before the segment before
   */
  private record Reader(long before, LogState log) {}

  private final Random random;
  private final LogState whole = new LogState();
  private final List<Reader> readers = new ArrayList<>();
  private final TreeMap<Long, Issued> issued = new TreeMap<>();
  private long segment = 1;
  private long offset;
  private long mountEpoch;
  private int view;
  private long seq;
  private long acked;
  private long durable;

  /** The last seq that the session has sent to this region, or the prefix that it began with. */
  private long prevNum;

  private long prefix;

  RandomLog(long seed) {
    random = new Random(seed);
  }

  void run(int steps) throws MalformedException {
    mount();
    for (int i = 0; i < steps; i++) {
      switch (random.nextInt(12)) {
        case 0 -> mount();
        case 1 -> issueAgain();
        case 2, 3 -> roll();
        case 4, 5 -> acked = boundary(acked, seq);
        case 6 -> durable = boundary(durable, acked);
        case 7, 8 -> issue(List.of(ELSEWHERE));
        default -> issue(random.nextBoolean() ? List.of(HERE) : List.of(HERE, ELSEWHERE));
      }
      compare("step " + i);
    }
  }

  private void compare(String step) {
    byte[] manifest = manifest(whole);
    for (Reader r : readers) {
      String who = step + ", read from segment " + (r.before + 1);
      assertThat(manifest(r.log)).as(who).isEqualTo(manifest);
      if (whole.isDecided(r.before)) {
        assertThat(r.log.summary()).as(who).usingRecursiveComparison().isEqualTo(whole.summary());
      }
    }
  }

  private static byte[] manifest(LogState log) {
    return log.manifest(List.of("a", "b", "c"), List.of()).encode();
  }

  /** The end of a batch from one seq to another, or the first of them. */
  private long boundary(long from, long to) {
    List<Long> ends = new ArrayList<>(issued.subMap(from, false, to, true).keySet());
    ends.add(from);
    return ends.get(random.nextInt(ends.size()));
  }

  /** The volume root after a batch. */
  private byte[] root(long last) {
    return last == 0 ? Hashes.zero() : issued.get(last).root;
  }

  private List<LogState> logs() {
    List<LogState> all = new ArrayList<>(readers.stream().map(Reader::log).toList());
    all.add(whole);
    return all;
  }

  /** A mount may go back behind what was acknowledged, but not behind what is durable. */
  private void mount() {
    prefix = boundary(durable, seq);
    mountEpoch++;
    ResolveBody resolve = new ResolveBody(mountEpoch, prefix, root(prefix));
    for (LogState log : logs()) {
      log.apply(new MountBody(mountEpoch), new byte[0]);
      assertThat(log.check(resolve)).isNull();
      log.apply(resolve);
    }
    issued.tailMap(prefix, false).clear();
    view = 0;
    seq = prefix;
    acked = prefix;
    durable = prefix;
    prevNum = prefix;
  }

  private void issue(List<Integer> regions) {
    long first = seq + 1;
    seq = first + random.nextInt(3);
    long lastHere = first + random.nextInt((int) (seq - first) + 1);
    byte[] root = ByteBuffer.allocate(Hashes.BYTES).putLong(random.nextLong()).array();
    Issued b = new Issued(first, seq, lastHere, regions, root);
    issued.put(seq, b);
    send(b);
  }

  /** Begins a new view. */
  private void issueAgain() {
    view++;
    prevNum = prefix;
    for (Issued b : issued.tailMap(prefix, false).values()) {
      if (b.last > acked) {
        send(b);
      } else if (b.isHere()) {
        prevNum = b.lastHere;
      }
    }
  }

  private void send(Issued b) {
    if (!b.isHere()) {
      return;
    }
    SubBatch s =
        new SubBatch(
            mountEpoch,
            view,
            b.first,
            b.last,
            prevNum,
            acked,
            new Durable(durable, root(durable)),
            new SubBatch.Participants(HERE, b.regions, b.regions),
            SubBatch.PrevLeader.NONE,
            false,
            b.root,
            List.of(new Put(b.lastHere, 7, 1, HASH)));
    offset += LogRecord.CHUNK;
    for (LogState log : logs()) {
      assertThat(log.check(s)).isNull();
      log.apply(s, new Position(segment, offset), offset + 100);
    }
    prevNum = b.lastHere;
  }

  private void roll() throws MalformedException {
    LogState log = new LogState();
    log.apply(ManifestBody.decode(manifest(whole)));
    readers.add(new Reader(segment, log));
    segment++;
    offset = 0;
  }
}
