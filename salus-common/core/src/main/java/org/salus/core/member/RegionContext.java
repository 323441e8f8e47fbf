package org.salus.core.member;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogState;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.Succession;
import org.salus.core.scan.KnownLog;

/** The state that the parts of one member share. */
final class RegionContext {
  private static final byte[] NOTHING = {};

  final VolumeSpec spec;
  final RegionId region;
  final int epoch;
  final List<String> members;

  /** This member's place in the chain, from 0 (M0). */
  final int place;

  /** In what way the epoch takes the place of the one before. */
  final Succession succession;

  final Signer signer;
  final MemberConfig config;
  final MemberRules rules;
  final LaneLeaders leaders;
  final LogState log;
  final RegionIndex index;
  final RecordTail tail;
  final Outbox out = new Outbox();

  /** The part of the region log that this server need not read again. */
  KnownLog known = new KnownLog();

  /**
   * The closed live segments, oldest first: those that wait for their flush, and flushed ones whose
   * blocks are not compacted yet.
   */
  final List<SegmentEnd> segments = new ArrayList<>();

  /** The settled batches that replay found not to be durable. A mount may still discard them. */
  private final Deque<Pending> held = new ArrayDeque<>();

  /** The last seq of the newest batch in the index. */
  private long indexedTo;

  /** The seq up to which this member has prepared and voted YES. */
  private long prepared;

  /** The position of the next record; null until the epoch is open. */
  Position next;

  /** Whether the epoch's first manifest is written here. */
  boolean opened;

  /** Whether the NameNode knows that the epoch serves, so that this member may answer. */
  boolean serving;

  /** The newest manifest that is written here, encoded as a permission; empty if there is none. */
  byte[] manifest = {};

  RegionContext(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config, MemberRules rules) {
    this.spec = spec;
    this.region = seat.region();
    this.epoch = seat.epoch();
    this.members = seat.members();
    this.place = seat.place();
    this.succession = seat.succession();
    this.signer = signer;
    this.config = config;
    this.rules = rules;
    this.leaders = new LaneLeaders(seat, signer, rules);
    this.log = new LogState(rules);
    this.index = new RegionIndex(spec);
    this.tail = new RecordTail(members.size(), spec.synced());
  }

  boolean isPrimary() {
    return place == 0;
  }

  boolean isLast() {
    return place == members.size() - 1;
  }

  String self() {
    return members.get(place);
  }

  /** The endpoint of the member at a place in the chain. */
  Endpoint member(int at) {
    return new Endpoint.Member(region, at);
  }

  /** Whether the volume has a region of this number. */
  boolean hasRegion(int index) {
    return index >= 0 && index < spec.regionCount();
  }

  /**
   * Whether a message comes from the member at this place in the chain. No member speaks for
   * another.
   */
  boolean isAt(Endpoint from, int at) {
    return at >= 0 && at < members.size() && from.equals(member(at));
  }

  /** Whether another member of this epoch says this of itself. */
  boolean isOthers(Wrote x, Endpoint from) {
    return x.epoch() == epoch && x.lane() != place && isAt(from, x.lane());
  }

  /**
   * Complains to the master that the member at this place in the chain seems not to do its part.
   */
  void complain(int at, String what) {
    out.add(new Stalled(region.index(), epoch, at, what));
  }

  /**
   * Sends whoever asked, which is a session, a signed refusal. A refusal that ends the session
   * carries its proof, or counts only if all lanes send it.
   */
  void refuse(Endpoint asker, long last, LogState.No no) {
    if (!(asker instanceof Endpoint.Session session)) {
      return;
    }
    long mountEpoch = session.mountEpoch();
    boolean fenced = no.why() == Refusal.FENCED;
    long seq = fenced ? log.mountEpoch() : no.seq();
    byte[] mount = fenced ? log.mountProof() : NOTHING;
    for (int lane : no.why() == Refusal.LOST ? leaders.lanes() : List.of(place)) {
      Refused bare = new Refused(epoch, lane, mountEpoch, last, no.why(), seq, mount, NOTHING);
      out.send(session, bare.sign(region, signer));
    }
  }

  Endpoint session() {
    return new Endpoint.Session(region.volume(), log.mountEpoch());
  }

  /**
   * The seq up to which this member knows its lane to have committed. Another region's confirmation
   * counts only for whole batches that are prepared here.
   */
  long watermark() {
    return log.lastBatch(Math.min(leaders.committed(), prepared));
  }

  /** Notes that the sub-batch that ends at this seq is prepared here. */
  void prepared(long seq) {
    prepared = Math.max(prepared, seq);
  }

  /** Moves what became settled into the index, after the batches that are held back. */
  void settle(boolean replaying) {
    for (Pending p : log.takeSettled()) {
      if (replaying || !held.isEmpty()) {
        held.add(p);
      } else {
        index(p);
      }
    }
    while (!held.isEmpty() && held.peek().batch().last() <= log.durable()) {
      index(held.poll());
    }
  }

  /** The seq up to which everything settled is in the index, and nothing beyond it. */
  long indexed() {
    return held.isEmpty() ? log.acked() : held.peek().batch().first() - 1;
  }

  private void index(Pending p) {
    index.apply(p);
    indexedTo = p.batch().last();
  }

  /** Whether the index can forget what is beyond a prefix. */
  boolean canGoBack(long prefix) {
    return indexedTo <= prefix;
  }

  /** Forgets what is beyond a prefix: the volume goes on from there. */
  void goBack(long prefix) {
    prepared = prefix;
    held.removeIf(p -> p.batch().last() > prefix);
  }

  /** Moves the batches that are held back into the index: the volume keeps them. */
  void releaseHeld() {
    held.forEach(this::index);
    held.clear();
  }

  /**
   * The committed batches that a GET sees beyond the index, oldest first.
   *
   * @param acked the seq up to which the asker knows all lanes to have committed
   */
  List<Pending> visible(long acked) {
    long watermark = Math.max(watermark(), acked);
    List<Pending> all = new ArrayList<>(held);
    log.pending().stream().filter(p -> p.batch().last() <= watermark).forEach(all::add);
    return all;
  }

  /**
   * Updates index and segments after the list of checkpoints changed. Segments whose blocks are
   * compacted are no longer needed.
   */
  void flushed() {
    long last = log.checkpoints().lastFlushed();
    segments.removeIf(s -> s.segment() <= last && !log.checkpoints().areIn(s.segment()));
    index.flushed(last);
  }

  /** The number of closed segments that wait for their flush. */
  long unflushed() {
    long last = log.checkpoints().lastFlushed();
    return segments.stream().filter(s -> s.segment() > last).count();
  }

  List<SegmentEnd> segmentsWithOpen() {
    List<SegmentEnd> all = new ArrayList<>(segments);
    if (next != null) {
      all.add(new SegmentEnd(next.segment(), next.offset()));
    }
    return all;
  }
}
