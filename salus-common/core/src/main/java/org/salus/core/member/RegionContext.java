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
import org.salus.core.log.KnownLog;
import org.salus.core.log.LogState;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.MessageCodec;

/** What the parts of one member share. */
final class RegionContext {
  private static final byte[] NOTHING = {};

  final VolumeSpec spec;
  final RegionId region;
  final int epoch;
  final List<String> members;

  /** In the chain. */
  final int place;

  final Signer signer;
  final MemberConfig config;
  final MemberRules rules;
  final LaneLeaders leaders;
  final LogState log;
  final RegionIndex index;
  final RecordTail tail;
  final Outbox out = new Outbox();

  /** What need not be read again. */
  KnownLog known = new KnownLog();

  /**
   * Closed live segments: those that wait for their flush, and those before them whose blocks are
   * not compacted.
   */
  final List<SegmentEnd> segments = new ArrayList<>();

  /**
   * Settled batches that replay found not to be durable everywhere: a mount may still go back
   * behind them.
   */
  private final Deque<Pending> held = new ArrayDeque<>();

  /** The newest batch that the index has. */
  private long indexedTo;

  /** Up to where this member has voted YES: what it has on its disk. */
  private long prepared;

  /** Where the next record goes; null until the epoch is open. */
  Position next;

  boolean serving;

  /** The newest manifest that is on disk here, as a permission. */
  byte[] manifest = {};

  RegionContext(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config, MemberRules rules) {
    this.spec = spec;
    this.region = seat.region();
    this.epoch = seat.epoch();
    this.members = seat.members();
    this.place = seat.place();
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

  /** The member at this place in the chain, by the first lane in which it acts. */
  Endpoint member(int at) {
    return new Endpoint.Member(region, at);
  }

  /**
   * Whether a message is of the member at this place in the chain: nobody speaks for another one.
   */
  boolean isAt(Endpoint from, int at) {
    return at >= 0 && at < members.size() && from.equals(member(at));
  }

  /**
   * Tells the master that the member at this place in the chain does not do its part, as far as is
   * seen from here.
   */
  void complain(int at, String what) {
    out.add(new Stalled(region.index(), epoch, at, what));
  }

  /**
   * Refuses what a session has sent: signed, and what ends a session with what proves it, or by all
   * lanes.
   */
  void refuse(Endpoint session, long mountEpoch, long last, LogState.No no) {
    boolean fenced = no.why() == Refusal.FENCED;
    long seq = fenced ? log.mountEpoch() : no.seq();
    byte[] mount = fenced ? log.mountSignature() : NOTHING;
    for (int lane : no.why() == Refusal.LOST ? leaders.lanes() : List.of(place)) {
      Refused bare = new Refused(epoch, lane, mountEpoch, last, no.why(), seq, mount, NOTHING);
      byte[] signature = signer.sign(Signer.laneName(region, lane), MessageCodec.signed(bare));
      out.send(
          session, new Refused(epoch, lane, mountEpoch, last, no.why(), seq, mount, signature));
    }
  }

  Endpoint session() {
    return new Endpoint.Session(region.volume(), log.mountEpoch());
  }

  /**
   * What is committed here; of what another region's leader says, no more than whole batches that
   * this member has on its disk.
   */
  long watermark() {
    return log.lastBatch(Math.min(leaders.committed(), prepared));
  }

  /** A sub-batch is on disk here. */
  void prepared(long seq) {
    prepared = Math.max(prepared, seq);
  }

  /** What became settled goes into the index, behind what is held back. */
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

  /** Everything settled up to here is in the index, and nothing more. */
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

  /** The volume goes on after this prefix. */
  void goBack(long prefix) {
    prepared = prefix;
    held.removeIf(p -> p.batch().last() > prefix);
  }

  /** The volume goes on after what is held back by now. */
  void releaseHeld() {
    held.forEach(this::index);
    held.clear();
  }

  /**
   * What GETs see beyond the index: batches that are committed, oldest first.
   *
   * @param acked up to which whoever asks knows them to be committed
   */
  List<Pending> visible(long acked) {
    long watermark = Math.max(watermark(), acked);
    List<Pending> all = new ArrayList<>(held);
    log.pending().stream().filter(p -> p.batch().last() <= watermark).forEach(all::add);
    return all;
  }

  /** The list of checkpoints is another; segments whose blocks are compacted are needed no more. */
  void flushed() {
    long last = log.checkpoints().lastFlushed();
    segments.removeIf(s -> s.segment() <= last && !log.checkpoints().areIn(s.segment()));
    index.flushed(last);
  }

  /** Closed segments that wait for their flush. */
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
