package org.salus.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;

/**
 * P3: a mount begins with the state after some prefix of the issued PUTs. The prefix has every
 * acknowledged PUT; after a power cut, every synced one.
 */
public final class Prefix implements Checker {
  private final boolean synced;

  /** The contents that the mounts before the current one left, by seq. */
  private final TreeMap<Long, List<Content>> base = new TreeMap<>();

  /** The contents that each mount issued, by mount epoch and seq. */
  private final Map<Long, TreeMap<Long, List<Content>>> issued = new TreeMap<>();

  /** The newest seq that each mount acknowledged, by mount epoch. A power cut does not undo it. */
  private final Map<Long, Long> told = new TreeMap<>();

  private final Map<Long, Long> flushes = new TreeMap<>();
  private long current;

  /**
   * Whether the power has failed since the current mount. What it acknowledges later may go too,
   * until it is on disk: it comes after what was lost, which the session may hear of later.
   */
  private boolean cut;

  private long acked;
  private long durable;

  /** The newest seq acknowledged, whatever a power cut may have taken. A flush makes it durable. */
  private long flushable;

  private boolean beyond;

  /**
   * @param synced whether the volume is synced, not replicated
   */
  public Prefix(boolean synced) {
    this.synced = synced;
  }

  /** The newest seq that a mount acknowledged to its user; 0 if none. */
  public long told(long mount) {
    return told.getOrDefault(mount, 0L);
  }

  /** The blocks' hashes after every PUT up to {@code seq}. */
  public TreeMap<Long, byte[]> stateAt(long seq) {
    TreeMap<Long, byte[]> state = new TreeMap<>();
    base.headMap(seq, true)
        .values()
        .forEach(
            contents ->
                contents.forEach(
                    c -> {
                      if (c.hash() == null) {
                        state.remove(c.block());
                      } else {
                        state.put(c.block(), c.hash());
                      }
                    }));
    return state;
  }

  @Override
  public void sent(int region, SubBatch batch, List<Content> contents) {
    TreeMap<Long, List<Content>> puts =
        issued.computeIfAbsent(batch.mountEpoch(), k -> new TreeMap<>());
    int i = 0;
    for (Put p : batch.puts()) {
      List<Content> of = new ArrayList<>(contents.subList(i, i + p.count()));
      i += p.count();
      List<Content> before = puts.putIfAbsent(p.seq(), of);
      if (before != null && before.isEmpty()) {
        puts.put(p.seq(), of); // an empty sub-batch came first
      } else if (before != null && !same(before, of)) {
        throw new Violation(
            "P3 prefix",
            "seq " + p.seq() + " changed its meaning within mount " + batch.mountEpoch());
      }
    }
    if (batch.puts().isEmpty()) {
      puts.putIfAbsent(batch.last(), List.of());
    }
  }

  private static boolean same(List<Content> a, List<Content> b) {
    for (int i = 0; i < a.size(); i++) {
      if (a.get(i).block() != b.get(i).block()
          || !Arrays.equals(a.get(i).hash(), b.get(i).hash())) {
        return false;
      }
    }
    return a.size() == b.size();
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    if (mount == current) {
      long seq = seqOf(contents);
      told.merge(mount, seq, Math::max);
      flushable = Math.max(flushable, seq);
      if (synced || sync || !cut) {
        acked = Math.max(acked, seq);
      }
      durable = synced || sync ? acked : durable;
    }
  }

  /** The seq of the newest PUT of one of these contents. Zeros that changed nothing have none. */
  private long seqOf(List<Content> contents) {
    for (Map.Entry<Long, List<Content>> e :
        issued.getOrDefault(current, new TreeMap<>()).descendingMap().entrySet()) {
      for (Content c : e.getValue()) {
        if (c.hash() != null && isOneOf(contents, c)) {
          return e.getKey();
        }
      }
    }
    return 0;
  }

  private static boolean isOneOf(List<Content> contents, Content wanted) {
    for (Content c : contents) {
      if (c.block() == wanted.block() && Arrays.equals(c.hash(), wanted.hash())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void flushIssued(long mount, long request) {
    flushes.put(request, flushable);
  }

  @Override
  public void flushDone(long mount, long request) {
    long flushed = flushes.getOrDefault(request, 0L);
    acked = Math.max(acked, flushed);
    durable = Math.max(durable, flushed);
  }

  @Override
  public void powerCut() {
    acked = durable;
    cut = true;
  }

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void mounted(long mount, long prefix) {
    if (mount < current) {
      return; // late answers: the session is fenced already
    }
    if (prefix < acked && !beyond) {
      throw new Violation(
          "P3 prefix",
          "mount " + mount + " begins at " + prefix + ", but " + acked + " was acknowledged");
    }
    base.tailMap(prefix, false)
        .clear(); // a power cut may have taken what an earlier mount began with
    TreeMap<Long, List<Content>> before = issued.getOrDefault(current, new TreeMap<>());
    base.putAll(before.headMap(prefix, true));
    acked = Math.min(acked, prefix);
    durable = Math.min(durable, prefix);
    flushable = Math.min(flushable, prefix);
    if (prefix > 0 && !base.containsKey(prefix)) {
      throw new Violation(
          "P3 prefix", "mount " + mount + " begins at " + prefix + ", which was never issued");
    }
    current = mount;
    cut = false;
    flushes.clear();
  }
}
