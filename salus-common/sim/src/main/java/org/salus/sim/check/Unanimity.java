package org.salus.sim.check;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;

/**
 * P4: certified bytes, and the trees over them, are equal on every right member. The header's CRC,
 * which is checked, covers the payload. A holder has the bytes on its own node.
 */
public final class Unanimity implements Checker {
  private final Map<Integer, TreeMap<Position, LogRecord>> seen = new TreeMap<>();

  /** The roots by region and seq. */
  private final Map<Integer, TreeMap<Long, byte[]>> roots = new TreeMap<>();

  private boolean beyond;
  private boolean cut;

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void onDisk(String node, List<Integer> lanes, LogRecord r) {
    LogRecord before =
        seen.computeIfAbsent(r.region().index(), k -> new TreeMap<>()).putIfAbsent(r.at(), r);
    if (!beyond && before != null && !Arrays.equals(before.header(), r.header())) {
      throw new Violation(
          "P4 unanimity", node + " holds " + r + " where another member holds " + before);
    }
  }

  @Override
  public void rootTold(String node, int region, long seq, byte[] root) {
    byte[] before = roots.computeIfAbsent(region, k -> new TreeMap<>()).putIfAbsent(seq, root);
    if (!beyond && before != null && !Arrays.equals(before, root)) {
      throw new Violation(
          "P4 unanimity",
          node
              + " has another tree of region "
              + region
              + " as of "
              + seq
              + " than was told before");
    }
  }

  @Override
  public void holds(String node, int region, SegmentEnd segment, long own) {
    if (!beyond && own != segment.length()) {
      throw new Violation(
          "P4 unanimity",
          node
              + " is a holder of region "
              + region
              + ", and its replica of "
              + segment
              + " is valid up to "
              + own);
    }
  }

  @Override
  public void disksReset() {
    seen.clear();
  }

  @Override
  public void powerCut() {
    cut = true;
  }

  /**
   * After a power cut a mount may go back and reuse seqs for other writes. Until then members
   * report the roots that they recovered.
   */
  @Override
  public void mounted(long mount, long prefix) {
    if (cut) {
      roots.values().forEach(of -> of.tailMap(prefix, false).clear());
    }
  }
}
