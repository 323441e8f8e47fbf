package org.salus.core.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.salus.core.Refusal;

/**
 * What a prefix of a region's log amounts to: which mount and view may write, what comes next, what
 * is settled (at or below the certified watermark) and what is pending. A pure fold: {@code apply}
 * after {@code check} for each record in order, at every member alike and again at recovery.
 *
 * <p>What is settled but not durable at all members of all regions is kept in the segments and
 * remembered: when a power cut took a suffix of it elsewhere, a resolution goes back below the
 * watermark.
 */
public final class LogState {

  /** A sub-batch in the log that the certified watermark has not reached. */
  public record Pending(SubBatch batch, Position at, long payloadOffset) {}

  /** A refusal and the seq that OUT_OF_ORDER names. */
  public record No(Refusal why, long seq) {}

  private final LogRules rules;
  private long mountEpoch;
  private byte[] mountSignature = {};
  private boolean resolved;
  private int view;
  private long lastSeq;
  private long acked;
  private long durable;
  private long settledHere;
  private long settledLast;
  private byte[] settledRoot = new byte[32];
  private final List<Pending> pending = new ArrayList<>();
  private final List<Pending> settled = new ArrayList<>();

  /** Settled and not durable, by seq. */
  private final Deque<Undecided> recent = new ArrayDeque<>();

  /** The newest batch, or resolved prefix, before those. */
  private long baseLast;

  private byte[] baseRoot = new byte[32];
  private final Checkpoints checkpoints = new Checkpoints();

  /** A log of which nothing is known yet. */
  public LogState() {
    this(LogRules.PAPER);
  }

  /**
   * @param rules what may come next
   */
  public LogState(LogRules rules) {
    this.rules = rules;
  }

  /** Whether the next record may be this sub-batch: null, or why not. */
  public No check(SubBatch b) {
    return rules.mayPut(this, b);
  }

  /** A new view issues again what is not acknowledged, so it begins where that begins. */
  boolean followsAcknowledged(SubBatch b) {
    return b.prevNum() <= b.acked() && isBoundary(b.prevNum());
  }

  private boolean isBoundary(long seq) {
    return seq == settledHere || pending.stream().anyMatch(p -> p.batch().lastSeqHere() == seq);
  }

  /** Whether the next record may be this mount: null, or why not. */
  public No check(MountBody m) {
    return rules.mayMount(this, m);
  }

  /** Whether the next record may be this resolution: null, or why not. */
  public No check(ResolveBody r) {
    return rules.mayResolve(this, r);
  }

  /** Whether going back to this prefix would cut a batch, or what is durable. */
  boolean cuts(long prefix) {
    return prefix < durable
        || recent.stream().anyMatch(u -> u.first() <= prefix && prefix < u.last())
        || pending.stream().anyMatch(p -> p.batch().first() <= prefix && prefix < p.batch().last());
  }

  /** Whether nothing came since a resolution at this prefix. */
  boolean isResolvedAt(long prefix) {
    return pending.isEmpty() && prefix == lastSeq && prefix == settledLast;
  }

  /**
   * A flush is of the oldest closed segment not flushed, when all in it is decided and durable; a
   * compaction is what the rule allows.
   */
  public boolean check(BuildBody b, List<SegmentEnd> closed) {
    return b.isFlush()
        ? !checkpoints.isFlushing() && b.equals(nextFlush(closed))
        : checkpoints.compactions().contains(b);
  }

  /** A compaction ends only while no flush is under way, for that may read what it has merged. */
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

  /** The log of the epochs before is read; what they were building is lost. */
  public void beginEpoch() {
    checkpoints.abandonBuilds();
  }

  public Checkpoints checkpoints() {
    return checkpoints;
  }

  public void apply(SubBatch b, Position at, long payloadOffset) {
    view = b.view();
    lastSeq = b.lastSeqHere();
    put(new Pending(b, at, payloadOffset));
    settle(rules.settles(b));
    harden(b.durable());
  }

  /**
   * In place of the same batch of an earlier view, whose copy of the data is on disk already and
   * stays the one that is read; a batch that is not issued again may have been acknowledged, and
   * stays too.
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
   * @param signature of the mount's session
   */
  public void apply(MountBody m, byte[] signature) {
    mountEpoch = m.mountEpoch();
    mountSignature = signature;
    resolved = false;
    view = 0;
  }

  public void apply(ResolveBody r) {
    pending.removeIf(p -> p.batch().last() > r.prefix());
    recent.removeIf(u -> u.last() > r.prefix());
    settle(r.prefix());
    acked = r.prefix();
    resolved = true;
    lastSeq = r.prefix();
    settledHere = r.prefix();
    settledLast = r.prefix();
    settledRoot = r.volumeRoot();
  }

  /** Starts from a manifest, at the head of the first segment that is read. */
  public void apply(ManifestBody m) {
    mountEpoch = m.mountEpoch();
    mountSignature = m.mountSignature();
    resolved = m.resolved();
    view = m.view();
    lastSeq = m.lastSeq();
    acked = m.acked();
    durable = m.durable();
    settledHere = m.settledHere();
    settledLast = m.settledLast();
    settledRoot = m.settledRoot();
    baseLast = settledLast;
    baseRoot = settledRoot;
    recent.clear();
    pending.clear();
    m.undecided().forEach(u -> pending.add(u.pending(mountEpoch)));
    checkpoints.set(m.checkpoints(), m.nextCheckpoint(), m.building());
  }

  private void settle(long upTo) {
    acked = Math.max(acked, upTo);
    for (Iterator<Pending> i = pending.iterator(); i.hasNext(); ) {
      Pending p = i.next();
      if (p.batch().last() > acked) {
        break;
      }
      settledHere = p.batch().lastSeqHere();
      settledLast = p.batch().last();
      settledRoot = p.batch().volumeRoot();
      settled.add(p);
      recent.add(Undecided.of(p));
      i.remove();
    }
  }

  private void harden(long upTo) {
    durable = Math.max(durable, upTo);
    while (!recent.isEmpty() && recent.peek().last() <= durable) {
      baseLast = recent.peek().last();
      baseRoot = recent.poll().volumeRoot();
    }
  }

  /** What became settled since the last call, in log order. */
  public List<Pending> takeSettled() {
    List<Pending> s = List.copyOf(settled);
    settled.clear();
    return s;
  }

  /** What is not settled, in log order; a live view. */
  public List<Pending> pending() {
    return pending;
  }

  /** What the head of the next segment says; {@code segments} are the live closed ones. */
  public ManifestBody manifest(List<String> members, List<SegmentEnd> segments) {
    return rules.manifest(this, members, segments);
  }

  ManifestBody wholeManifest(List<String> members, List<SegmentEnd> segments) {
    return new ManifestBody(
        members,
        segments,
        mountEpoch,
        mountSignature,
        resolved,
        view,
        lastSeq,
        acked,
        durable,
        settledHere,
        settledLast,
        settledRoot,
        pending.stream().map(Undecided::of).toList(),
        checkpoints.live(),
        checkpoints.next(),
        checkpoints.building());
  }

  public LogSummary summary() {
    List<Prepared> prepared = new ArrayList<>();
    recent.forEach(u -> prepared.add(u.prepared()));
    pending.forEach(p -> prepared.add(Undecided.of(p).prepared()));
    return new LogSummary(durable, acked, baseLast, baseRoot, prepared);
  }

  public long mountEpoch() {
    return mountEpoch;
  }

  /** What the session of the newest mount has signed, see {@link MountBody#isSigned}. */
  public byte[] mountSignature() {
    return mountSignature;
  }

  public boolean resolved() {
    return resolved;
  }

  public int view() {
    return view;
  }

  public long lastSeq() {
    return lastSeq;
  }

  public long acked() {
    return acked;
  }

  /** Up to where the settled batches go, and the pending ones that end here or before. */
  public long lastBatch(long seq) {
    return pending.stream()
        .mapToLong(p -> p.batch().last())
        .filter(last -> last <= seq)
        .max()
        .orElse(acked);
  }

  /** Everything up to here is on the disks of all members of all regions. */
  public long durable() {
    return durable;
  }
}
