package org.salus.sim.check;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.wire.MalformedException;

/**
 * P2: if a PUT is committed, every earlier PUT is.
 *
 * <ul>
 *   <li>A lane may report a commit up to a seq only when every part of every batch up to it is on a
 *       disk of that lane.
 *   <li>Each replica holds PUTs in the order of issue.
 *   <li>A write may be acknowledged only when its parts are on every right member.
 * </ul>
 */
public final class OrderedCommit implements Checker {

  private record Part(long mount, int region, long last) implements Comparable<Part> {
    @Override
    public int compareTo(Part o) {
      int c = Long.compare(mount, o.mount);
      c = c != 0 ? c : Long.compare(last, o.last);
      return c != 0 ? c : Integer.compare(region, o.region);
    }
  }

  private final IntUnaryOperator members;
  private final TreeSet<Part> issued = new TreeSet<>();
  private final Map<Part, TreeSet<Integer>> lanes = new TreeMap<>();
  private final Map<Part, TreeSet<String>> nodes = new TreeMap<>();

  /**
   * For each part, how many members had to have it when the first one had it. Later joiners get it
   * from HDFS.
   */
  private final Map<Part, Integer> wanted = new TreeMap<>();

  private final Map<String, SubBatch> newest = new TreeMap<>();

  /** The parts by mount, block and hash. No two writes have the same hash. */
  private final Map<String, Part> partOf = new TreeMap<>();

  private final TreeSet<Integer> spoiled = new TreeSet<>();
  private boolean beyond;

  /**
   * @param members the number of right members of a region
   */
  public OrderedCommit(IntUnaryOperator members) {
    this.members = members;
  }

  @Override
  public void sent(int region, SubBatch b, List<Content> contents) {
    Part p = new Part(b.mountEpoch(), region, b.last());
    if (issued.add(p)) {
      contents.forEach(c -> partOf.put(key(b.mountEpoch(), c), p));
    }
  }

  private static String key(long mount, Content c) {
    String hash = c.hash() == null ? "" : new String(c.hash(), StandardCharsets.ISO_8859_1);
    return mount + "/" + c.block() + "/" + hash;
  }

  @Override
  public void onDisk(String node, List<Integer> of, LogRecord r) {
    if (r.type() == LogRecord.Type.PUT) {
      try {
        SubBatch b = SubBatch.decode(r.content());
        checkOrder(node + "/" + r.region() + "/" + r.at().segment(), r, b);
        Part p = new Part(b.mountEpoch(), r.region().index(), b.last());
        lanes.computeIfAbsent(p, k -> new TreeSet<>()).addAll(of);
        nodes.computeIfAbsent(p, k -> new TreeSet<>()).add(node);
        wanted.putIfAbsent(p, members.applyAsInt(p.region()));
      } catch (MalformedException e) {
        throw new Violation("P2 ordered-commit", "record " + r + " cannot be read");
      }
    }
  }

  /**
   * Checks that a valid segment holds a region's PUTs as they were issued: within a view, each
   * names the one before it. The check does not span segments, because the end of a damaged one is
   * not read.
   */
  private void checkOrder(String replica, LogRecord r, SubBatch b) {
    SubBatch before = newest.put(replica, b);
    boolean follows =
        before == null
            || before.mountEpoch() != b.mountEpoch()
            || before.view() != b.view()
            || b.first() > before.last()
                && (b.prevNum() == before.lastSeqHere() || b.prevNum() <= b.acked());
    if (!follows && !beyond) {
      throw new Violation(
          "P2 ordered-commit",
          replica
              + " holds "
              + r
              + " after "
              + before.lastSeqHere()
              + ", though it names "
              + b.prevNum());
    }
  }

  @Override
  public void disksReset() {
    newest.clear();
  }

  @Override
  public void spoiled(int lane) {
    spoiled.add(lane);
  }

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void committed(int lane, long mount, long seq) {
    if (beyond || spoiled.contains(lane)) {
      return;
    }
    for (Part p : issued.subSet(new Part(mount, -1, 0), new Part(mount, Integer.MAX_VALUE, seq))) {
      if (!lanes.getOrDefault(p, new TreeSet<>()).contains(lane)) {
        throw new Violation(
            "P2 ordered-commit",
            "lane " + lane + " committed " + seq + ", but its disk lacks " + p);
      }
    }
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    for (Content c : contents) {
      Part p = partOf.get(key(mount, c));
      if (beyond || p == null || c.hash() == null) {
        continue;
      }
      int now = members.applyAsInt(p.region());
      int least = Math.min(now, wanted.getOrDefault(p, now));
      if (nodes.getOrDefault(p, new TreeSet<>()).size() < least) {
        throw new Violation(
            "P2 ordered-commit",
            "write " + request + " is acknowledged, but not on " + least + " replicas: " + p);
      }
    }
  }

  @Override
  public void mounted(long mount, long prefix) {
    issued.removeIf(p -> p.mount < mount);
  }
}
