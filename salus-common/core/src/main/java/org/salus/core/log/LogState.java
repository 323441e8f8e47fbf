package org.salus.core.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.salus.core.Refusal;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoints;

/**
 * The state that a prefix of a region's log amounts to: who may write, what may come next, what is
 * settled and what is pending. It is a pure fold: {@code check} then {@code apply} for each record
 * in order. Every member does so alike, and again at replay. Not thread-safe.
 *
 * <p>Batches that are settled but not durable stay in the segments and are remembered. If a power
 * cut took a suffix of it elsewhere, a resolution goes back below the certified watermark.
 */
public final class LogState {

  /** A sub-batch in the log that the certified watermark has not reached. */
  public record Pending(SubBatch batch, Position at, long payloadOffset) {}

  /** A refusal and the seq that OUT_OF_ORDER names. */
  public record No(Refusal why, long seq) {}

  private final LogRules rules;
  private NewestMount mount = NewestMount.NONE;
  private long lastSeq;
  private long acked;
  private long settledHere;

  /**
   * The prefix that the log says is durable. Each sub-batch names the root after it, for whoever
   * replays only a part of the log may lack the batch that ends there. Members whose summaries
   * differ are blamed.
   */
  private Durable durable = Durable.NOTHING;

  private final List<Pending> pending = new ArrayList<>();
  private final List<Pending> settled = new ArrayList<>();

  /** The batches that are settled and not durable, by seq. */
  private final Deque<Undecided> recent = new ArrayDeque<>();

  private final Checkpoints checkpoints = new Checkpoints();

  /** Makes the state of an empty log, with the product's rules. */
  public LogState() {
    this(LogRules.PAPER);
  }

  /**
   * @param rules what may come next
   */
  public LogState(LogRules rules) {
    this.rules = rules;
  }

  /** Checks whether the next record may be this sub-batch. Returns null, or why not. */
  public No check(SubBatch b) {
    return rules.mayPut(this, b);
  }

  /**
   * Whether a new view may begin with this sub-batch. It issues again what is not acknowledged, so
   * it begins where that begins.
   */
  boolean followsAcknowledged(SubBatch b) {
    return b.prevNum() <= b.acked() && isBoundary(b.prevNum());
  }

  private boolean isBoundary(long seq) {
    return seq == settledHere || pending.stream().anyMatch(p -> p.batch().lastSeqHere() == seq);
  }

  /** Checks whether the next record may be this mount. Returns null, or why not. */
  public No check(MountBody m) {
    return rules.mayMount(this, m);
  }

  /** Checks whether the next record may be this resolution. Returns null, or why not. */
  public No check(ResolveBody r) {
    return rules.mayResolve(this, r);
  }

  /** Whether going back to this prefix would cut a batch, or what is durable. */
  boolean cuts(long prefix) {
    return prefix < durable.seq()
        || recent.stream().anyMatch(u -> u.first() <= prefix && prefix < u.last())
        || pending.stream().anyMatch(p -> p.batch().first() <= prefix && prefix < p.batch().last());
  }

  /** Whether nothing came since a resolution at this prefix. */
  boolean isResolvedAt(long prefix) {
    return pending.isEmpty() && prefix == lastSeq;
  }

  /**
   * Whether the next record may be this BUILD. A flush must be of the oldest unflushed closed
   * segment, with everything in it settled and durable. A compaction must be one that the rule
   * allows.
   */
  public boolean check(BuildBody b, List<SegmentEnd> closed) {
    return b.isFlush()
        ? !checkpoints.isFlushing() && b.equals(nextFlush(closed))
        : checkpoints.compactions().contains(b);
  }

  /**
   * Whether the next record may be this BUILT. A compaction ends only while no flush is under way,
   * because a flush may read what it has merged.
   */
  public boolean check(BuiltBody b) {
    return checkpoints.isBuilding(b.checkpoint().id())
        && (b.isFlush() || !checkpoints.isFlushing());
  }

  /** The flush that is due, or null. */
  public BuildBody nextFlush(List<SegmentEnd> closed) {
    for (SegmentEnd s : closed) {
      if (s.segment() > checkpoints.lastFlushed()) {
        return rules.mayFlush(this, s) ? checkpoints.flush(s.segment()) : null;
      }
    }
    return null;
  }

  /** Whether everything up to the end of this segment is settled and durable. */
  boolean isDecided(long segment) {
    return pending.stream().noneMatch(p -> p.at().segment() <= segment)
        && recent.stream().noneMatch(u -> u.segment() <= segment);
  }

  public void apply(BuildBody b) {
    checkpoints.apply(b);
  }

  public void apply(BuiltBody b) {
    checkpoints.apply(b);
  }

  /** Notes that a new epoch begins: what earlier epochs were building is lost. */
  public void beginEpoch() {
    checkpoints.abandonBuilds();
  }

  public Checkpoints checkpoints() {
    return checkpoints;
  }

  public void apply(SubBatch b, Position at, long payloadOffset) {
    mount = mount.withView(b.view());
    lastSeq = b.lastSeqHere();
    put(new Pending(b, at, payloadOffset));
    settle(rules.settles(b));
    harden(b.durable());
  }

  /**
   * Adds a sub-batch, or replaces the same one of an earlier view. Reads go on using the earlier
   * copy of the data. A batch that is not issued again stays: it may have been acknowledged.
   */
  private void put(Pending p) {
    int i = 0;
    while (i < pending.size() && pending.get(i).batch().last() < p.batch().last()) {
      i++;
    }
    if (i < pending.size() && pending.get(i).batch().last() == p.batch().last()) {
      pending.set(i, new Pending(p.batch(), pending.get(i).at(), pending.get(i).payloadOffset()));
    } else {
      pending.add(i, p);
    }
  }

  /**
   * @param proof that the mount's session has asked for it, see {@link MountBody#proof}
   */
  public void apply(MountBody m, byte[] proof) {
    mount = new NewestMount(m.mountEpoch(), proof, false, 0);
  }

  public void apply(ResolveBody r) {
    pending.removeIf(p -> p.batch().last() > r.prefix());
    recent.removeIf(u -> u.last() > r.prefix());
    settle(r.prefix());
    acked = r.prefix();
    mount = mount.withResolution();
    lastSeq = r.prefix();
    settledHere = r.prefix();
  }

  /** Starts from the manifest at the head of the first segment that is read. */
  public void apply(ManifestBody m) {
    mount = m.mount();
    lastSeq = m.progress().lastSeq();
    acked = m.progress().acked();
    settledHere = m.progress().settledHere();
    durable = m.progress().durable();
    recent.clear();
    pending.clear();
    m.pending().forEach(u -> pending.add(u.pending(mount.epoch())));
    checkpoints.set(m.checkpoints());
  }

  private void settle(long upTo) {
    acked = Math.max(acked, upTo);
    for (Iterator<Pending> i = pending.iterator(); i.hasNext(); ) {
      Pending p = i.next();
      if (p.batch().last() > acked) {
        break;
      }
      settledHere = p.batch().lastSeqHere();
      settled.add(p);
      recent.add(Undecided.of(p));
      i.remove();
    }
  }

  private void harden(Durable upTo) {
    durable = upTo.seq() > durable.seq() ? upTo : durable;
    while (!recent.isEmpty() && recent.peek().last() <= durable.seq()) {
      recent.poll();
    }
  }

  /** The sub-batches that became settled since the last call, in log order. */
  public List<Pending> takeSettled() {
    List<Pending> s = List.copyOf(settled);
    settled.clear();
    return s;
  }

  /** The pending sub-batches in log order, as a live view. */
  public List<Pending> pending() {
    return pending;
  }

  /** The manifest for the head of the next segment; {@code segments} are the live closed ones. */
  public ManifestBody manifest(List<String> members, List<SegmentEnd> segments) {
    return rules.manifest(this, members, segments);
  }

  ManifestBody wholeManifest(List<String> members, List<SegmentEnd> segments) {
    return new ManifestBody(
        members,
        segments,
        mount,
        new Progress(lastSeq, acked, settledHere, durable),
        pending.stream().map(Undecided::of).toList(),
        checkpoints.now());
  }

  public LogSummary summary() {
    List<Prepared> prepared = new ArrayList<>();
    recent.forEach(u -> prepared.add(u.prepared()));
    pending.forEach(p -> prepared.add(Undecided.of(p).prepared()));
    return new LogSummary(durable, acked, prepared);
  }

  public long mountEpoch() {
    return mount.epoch();
  }

  /** The proof of the newest mount, see {@link MountBody#proof}. */
  public byte[] mountProof() {
    return mount.proof();
  }

  public boolean resolved() {
    return mount.resolved();
  }

  public int view() {
    return mount.view();
  }

  public long lastSeq() {
    return lastSeq;
  }

  public long acked() {
    return acked;
  }

  /**
   * The last seq of the settled batches and of the pending ones that end at {@code seq} or before.
   */
  public long lastBatch(long seq) {
    return pending.stream()
        .mapToLong(p -> p.batch().last())
        .filter(last -> last <= seq)
        .max()
        .orElse(acked);
  }

  /** The seq up to which everything is durable. */
  public long durable() {
    return durable.seq();
  }
}
