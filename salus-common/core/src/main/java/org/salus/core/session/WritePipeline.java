package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;
import org.salus.core.log.SubBatch.Participants;
import org.salus.core.log.SubBatch.PrevLeader;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;
import org.salus.core.session.block.LastToTouch;
import org.salus.core.session.block.RecentBlocks;

/**
 * Numbers writes and sends them in batches, many at a time (paper §4.1). It repeats what is lost
 * and acknowledges what all lanes have committed.
 */
final class WritePipeline {
  private static final int LOOK_AHEAD = 64;

  /** A batch is sent once it has one request for each this many requests under way. */
  private static final int COMPANY = 4;

  private final SessionContext c;
  private final PageFetcher pages;
  private final ReadPath reads;
  private final Deque<WriteRequest> queued = new ArrayDeque<>();
  private final LastToTouch<WriteRequest> lastQueued = new LastToTouch<>();
  private final RecentBlocks recent;
  private final Deque<WriteRequest> sent = new ArrayDeque<>();
  private final Deque<Batch> batches = new ArrayDeque<>();

  /** The seq up to which each region's leaders have committed in this view, by region and lane. */
  private final long[][] lanes;

  private final byte[][] roots;
  private final long[] settledHere;
  private final long[] repairedAt;
  private final Durability durability;
  private final SessionBlame blame;

  /** The seq of the newest unacknowledged PUT, by block. */
  private final TreeMap<Long, Long> lastPut = new TreeMap<>();

  /** Whether a flush that no application asked for is queued. */
  private boolean internalIsQueued;

  private long seq;
  private int view;
  private int leader = -1;

  /** Whether a batch was acknowledged since the last tick. */
  private boolean progressed;

  private long progressAt = Long.MIN_VALUE;

  WritePipeline(SessionContext c, PageFetcher pages, ReadPath reads) {
    this.c = c;
    this.pages = pages;
    this.reads = reads;
    this.lanes = new long[c.spec.regionCount()][Lanes.COUNT];
    this.recent = new RecentBlocks(c.spec.blockSize(), c.config.recentBytes());
    this.durability = new Durability(c);
    this.blame = new SessionBlame(c);
    this.roots = new byte[c.spec.regionCount()][];
    this.settledHere = new long[c.spec.regionCount()];
    this.repairedAt = new long[c.spec.regionCount()];
    Arrays.fill(repairedAt, Long.MIN_VALUE / 2);
  }

  /**
   * Begins when the mount is done. Numbering goes on after its prefix.
   *
   * @param mounted that prefix, which is durable
   * @param known whether the regions know that it is
   */
  void begin(Durable mounted, boolean known, long now) {
    long prefix = mounted.seq();
    durability.begin(mounted, known, now);
    seq = prefix;
    c.acked = prefix;
    forgetCommits();
    Arrays.fill(settledHere, prefix);
    Arrays.fill(c.sent, prefix);
    for (int r = 0; r < roots.length; r++) {
      roots[r] = c.trees[r].root();
    }
  }

  void add(WriteRequest w) {
    queued.add(w);
    internalIsQueued |= w.isInternal();
    lastQueued.add(w, w.firstBlock, w.firstBlock + w.count);
    if (!w.isFlush() && c.rules.isMergedWith(w.data == null)) {
      recent.add(w.firstBlock, w.firstBlock + w.count, w.data);
    }
  }

  /** The block's bytes after every write, to be read only; null if they must be asked for. */
  ByteBuffer recent(long block) {
    return recent.get(block);
  }

  /** The last write to touch these blocks among those that are not in batches; null for none. */
  WriteRequest lastQueued(long from, long to) {
    return lastQueued.last(from, to);
  }

  /**
   * The seq that a member must have committed to serve a read of these blocks of one region: their
   * newest PUT, or what is acknowledged there.
   */
  long lastPut(int region, long from, long to) {
    return lastPut.subMap(from, to).values().stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(settledHere[region]);
  }

  // ---- batching ----

  /** Sends what may be sent now. */
  void pump(long now) {
    prefetch(now);
    if (durability.isDue(isIdle(), now) && !internalIsQueued) {
      add(new WriteRequest(WriteRequest.INTERNAL, 0, 0, null, true, now));
    }
    while (!queued.isEmpty() && batches.size() < c.config.maxBatches() && isWorthABatch()) {
      BatchBuilder b = new BatchBuilder(c, seq + 1);
      fill(b, now);
      if (b.isEmpty()) {
        break;
      }
      Batch batch = b.build(volumeRoot(b));
      remember(batch);
      c.answers.changing();
      durability.sent(batch, now);
      batches.add(batch);
      encode(batch, previous(batch));
      transmit(batch, now);
    }
    acknowledge();
  }

  /**
   * Whether the waiting requests are enough for a batch. Batches are small while little is under
   * way; otherwise they wait to grow, because each costs every participant the same.
   */
  private boolean isWorthABatch() {
    if (queued.size() * COMPANY >= sent.size()) {
      return true;
    }
    long blocks = 0;
    for (WriteRequest w : queued) {
      blocks += w.isFlush() ? c.config.maxBatchPuts() : w.count - w.batched;
      if (blocks >= c.config.maxBatchPuts()) {
        return true;
      }
    }
    return false;
  }

  private void prefetch(long now) {
    int n = 0;
    for (WriteRequest w : queued) {
      if (n++ == LOOK_AHEAD) {
        break;
      }
      if (!w.prefetched) {
        w.prefetched = true;
        pages.ready(
            w.next(), Math.min(w.firstBlock + w.count, w.next() + c.config.maxBatchPuts()), now);
      }
    }
  }

  private void fill(BatchBuilder b, long now) {
    while (!queued.isEmpty() && !b.isFull()) {
      WriteRequest w = queued.peek();
      if (w.isFlush()) {
        addFlush(w, b);
      } else if (!addBlocks(w, b, now)) {
        reads.batched(w);
        return;
      } else if (w.sync && w.data == null) {
        addFlush(w, b); // the blocks may be zeros already, but not on disk
      }
      w.lastSeq = b.lastSeq();
      sent.add(queued.poll());
      internalIsQueued &= !w.isInternal();
      lastQueued.remove(w, w.firstBlock, w.firstBlock + w.count);
      reads.batched(w);
    }
  }

  /**
   * Adds a flush. The batch that holds the writes before it is synced, so a flush seldom needs a
   * batch of its own.
   */
  private void addFlush(WriteRequest w, BatchBuilder b) {
    TreeSet<Integer> regions = w.isInternal() ? durability.unsettled() : durability.unsynced();
    if (!b.isEmpty()) {
      b.sync(regions);
    } else if (!regions.isEmpty()) {
      b.barrier(regions);
    }
  }

  /**
   * Adds a request's blocks. Returns false if it must wait for the next batch, for a page, or for a
   * read of a block.
   */
  private boolean addBlocks(WriteRequest w, BatchBuilder b, long now) {
    while (w.batched < w.count) {
      long block = w.next();
      int run = w.data != null ? 1 : runInStripe(block, w.count - w.batched);
      if (w.data == null && c.trees[c.spec.region(block)].isZero(c.spec.local(block))) {
        w.batched += run; // never written: costs nothing, however large
        continue;
      }
      if (b.isFull()
          || reads.putWaits(block, block + run)
          || !pages.ready(block, block + run, now)) {
        return false;
      }
      if (w.data == null) {
        b.zero(block, run);
      } else {
        int size = c.spec.blockSize();
        b.data(block, w.data.slice(w.data.position() + (int) w.batched * size, size));
      }
      w.batched += run;
      if (w.sync && !b.isEmpty()) {
        b.sync(durability.unsynced());
      }
    }
    return true;
  }

  private int runInStripe(long block, long most) {
    int stripe = c.spec.stripeBlocks();
    return (int) Math.min(most, stripe - block % stripe);
  }

  private byte[] volumeRoot(BatchBuilder b) {
    b.regions().forEach(r -> roots[r] = c.trees[r].root());
    return c.hashes.volume(List.of(roots));
  }

  private void remember(Batch batch) {
    seq = batch.last;
    batch.parts.forEach(
        (r, part) -> {
          c.sent[r] = batch.lastSeq(r);
          for (Put p : part.puts) {
            reads.overwritten(c.spec.block(r, p.local()), c.spec.block(r, p.local()) + p.count());
            for (int i = 0; i < p.count(); i++) {
              lastPut.put(c.spec.block(r, p.local() + i), p.seq());
            }
          }
        });
    leader = batch.parts.containsKey(leader) ? leader : batch.parts.keySet().iterator().next();
    batch.leader = leader;
  }

  // ---- sending ----

  private Batch previous(Batch of) {
    Batch before = null;
    for (Batch b : batches) {
      if (b == of) {
        break;
      }
      before = b;
    }
    return before;
  }

  private void encode(Batch b, Batch before) {
    List<Integer> regions = new ArrayList<>(b.parts.keySet());
    List<Integer> epochs = regions.stream().map(p -> c.epochs[p]).toList();
    Participants participants = new Participants(b.leader, regions, epochs);
    PrevLeader prevLeader =
        before == null ? PrevLeader.NONE : new PrevLeader(before.leader, c.epochs[before.leader]);
    b.parts.forEach(
        (r, part) -> {
          SubBatch s =
              new SubBatch(
                  c.mountEpoch,
                  view,
                  b.first,
                  b.last,
                  prevNum(b, r),
                  c.acked,
                  c.durable,
                  participants,
                  prevLeader,
                  b.sync,
                  b.volumeRoot,
                  part.puts);
          part.content = s.encode();
          part.signature =
              c.sign(
                  new LogRequest(
                      LogRecord.Type.PUT,
                      c.spec.regionId(r),
                      c.epochs[r],
                      part.content,
                      part.payloadCrc));
        });
  }

  private long prevNum(Batch of, int region) {
    long prev = settledHere[region];
    for (Batch b : batches) {
      if (b == of) {
        break;
      }
      prev = b.parts.containsKey(region) ? b.lastSeq(region) : prev;
    }
    return prev;
  }

  private void transmit(Batch b, long now) {
    b.sentAt = now;
    b.parts.keySet().forEach(r -> transmit(b, r));
  }

  private void transmit(Batch b, int region) {
    Batch.Part part = b.parts.get(region);
    c.send(
        region,
        0,
        new PutRequest(c.epochs[region], part.content, part.payloadCrc, part.signature),
        part.payload);
  }

  /** Sends everything unacknowledged again, in a new view. Every seq keeps its meaning. */
  void newView(long now) {
    view++;
    forgetCommits();
    Batch before = null;
    for (Batch b : batches) {
      encode(b, before);
      b.parts.values().forEach(p -> p.prepared.clear());
      b.attempts = 0;
      transmit(b, now);
      before = b;
    }
  }

  /** The region's newest epoch serves now: sends its members what they have not had. */
  void opened(int region, long now) {
    for (Batch b : batches) {
      if (b.parts.containsKey(region)) {
        b.sentAt = now;
        transmit(b, region);
      }
    }
  }

  /**
   * Sends batches again that have had no answer for long while nothing else was acknowledged
   * either. If something was, a batch just waits for its turn on a slow link.
   */
  void onTick(long now) {
    progressAt = progressed ? now : progressAt;
    progressed = false;
    for (Batch b : batches) {
      if (c.rules.isOverdue(
          now - Math.max(b.sentAt, progressAt),
          c.config.resendAfterNanos() << Math.min(4, b.attempts))) {
        b.attempts++;
        transmit(b, now);
      }
    }
    Batch oldest = batches.peek();
    blame.onTick(
        oldest,
        oldest == null ? 0 : batches.peekLast().last,
        view,
        oldest == null ? 0 : missingLane(oldest),
        now);
  }

  private int missingLane(Batch b) {
    int lane = 0;
    while (lane < Lanes.COUNT - 1 && lanes[b.leader][lane] >= b.last) {
      lane++;
    }
    return lane;
  }

  void onStatus(int region, StatusReply reply) {
    blame.onStatus(region, reply);
  }

  // ---- answers ----

  private void forgetCommits() {
    for (long[] byLane : lanes) {
      Arrays.fill(byLane, c.acked);
    }
  }

  /**
   * Takes a lane leader's commit. Only commits of this view count, because members of an older one
   * may have been replaced since. Only the batch's own leader counts, whose lanes are three
   * servers. A wrong server may act in another lane of each region. So the leader's members show
   * the votes, and what is acknowledged is on every right member of every participant.
   */
  void onCommit(Commit m) {
    if (m.leader() >= 0
        && m.leader() < lanes.length
        && c.rules.isCurrent(m, view, c.epochs[m.leader()])) {
      long[] byLane = lanes[m.leader()];
      byLane[m.lane()] = Math.max(byLane[m.lane()], m.seq());
      if (!m.votes().isEmpty()) {
        batches.stream()
            .filter(b -> b.last == m.seq() && b.leader == m.leader())
            .forEach(b -> m.votes().forEach(y -> count(y, b, m.lane())));
      }
      settle();
    }
  }

  private void count(Yes yes, Batch b, int lane) {
    Batch.Part part = b.parts.get(yes.region());
    if (part != null
        && c.rules.isVote(
            b.vote(yes, c.epochs[yes.region()], lane, c.mountEpoch, view), c.spec.id(), c.signer)) {
      part.prepared.add(lane);
    }
  }

  private void settle() {
    while (!batches.isEmpty() && isCommitted(batches.peek())) {
      progressed = true;
      c.acked = batches.peek().last;
      settle(batches.poll());
    }
    acknowledge();
  }

  private boolean isCommitted(Batch b) {
    return b.last <= c.rules.committed(lanes[b.leader]) && c.rules.isPrepared(b.voted());
  }

  private void settle(Batch b) {
    durability.settled(b);
    b.parts.forEach(
        (r, part) -> {
          settledHere[r] = b.lastSeq(r);
          c.noteRoom(r, Room.Sign.COMMITTED_PUT);
          for (Put p : part.puts) {
            reads.overwritten(c.spec.block(r, p.local()), c.spec.block(r, p.local()) + p.count());
            for (int i = 0; i < p.count(); i++) {
              lastPut.remove(c.spec.block(r, p.local() + i), p.seq());
            }
          }
        });
  }

  private void acknowledge() {
    while (!sent.isEmpty() && sent.peek().lastSeq <= c.acked) {
      WriteRequest w = sent.poll();
      if (!w.isInternal()) {
        c.answers.changed(new SessionEffect.Done(w.id));
      }
    }
  }

  /** Takes the NO with which a leader shows why it cannot commit. */
  void onAbort(Vote no, long now) {
    if (no.no() != null && isOfABatch(no) && no.isSigned(c.spec.id(), c.signer)) {
      blame.aborted(no, now);
      newView(now);
    }
  }

  /**
   * Whether the vote is a participant's, of its present epoch, on a batch of this view that is not
   * committed.
   */
  private boolean isOfABatch(Vote v) {
    return v.view() == view
        && v.lane() >= 0
        && v.lane() < Lanes.COUNT
        && batches.stream().anyMatch(b -> b.isVotedOnBy(v) && v.epoch() == c.epochs[v.region()]);
  }

  /** The region's last seq that all lanes have committed. */
  long settledHere(int region) {
    return settledHere[region];
  }

  /** What the user relies on by now. */
  Acknowledgements acknowledgements() {
    return new Acknowledgements(c.mountEpoch, Arrays.stream(settledHere).boxed().toList());
  }

  /** Whether M0 of the region has a sub-batch that it can refuse. */
  boolean isOutstanding(int region) {
    return batches.stream().anyMatch(b -> b.parts.containsKey(region));
  }

  /** Handles M0's refusal of a sub-batch. */
  void onRefused(int region, Refused m, long now) {
    switch (m.why()) {
      case OUT_OF_ORDER -> repair(region, m.seq(), now);
      case BUSY, DAMAGED ->
          batches.stream()
              .filter(b -> b.last == m.last())
              .forEach(b -> b.sentAt = Math.min(b.sentAt, retryBase(b, now)));
      default -> {}
    }
  }

  private long retryBase(Batch b, long now) {
    long wait = c.config.resendAfterNanos() << Math.min(4, b.attempts);
    return now - wait + c.config.resendAfterNanos() / 16;
  }

  /** Sends what the region lacks, in order, once for a burst of refusals. */
  private void repair(int region, long have, long now) {
    if (now - repairedAt[region] < c.config.resendAfterNanos() / 4) {
      return;
    }
    repairedAt[region] = now;
    Batch before = null;
    for (Batch b : batches) {
      if (b.parts.containsKey(region) && b.lastSeq(region) > have) {
        encode(b, before); // encoded anew, because more may be acknowledged by now
        transmit(b, region);
      }
      before = b;
    }
  }

  /**
   * The time at which the oldest request began to wait, in nanoseconds; {@code now} if there is
   * none.
   */
  long oldest(long now) {
    return Math.min(
        sent.isEmpty() ? now : sent.peek().since, queued.isEmpty() ? now : queued.peek().since);
  }

  /**
   * Forgets the requests of which something was sent and that are not acknowledged, and returns
   * their ids.
   */
  List<Long> drainSent() {
    if (!queued.isEmpty() && queued.peek().batched > 0) {
      sent.add(queued.poll()); // it is too large for one batch
    }
    batches.clear();
    return drain(sent);
  }

  /** Forgets the requests of which nothing was sent, and returns their ids. */
  List<Long> drain() {
    lastQueued.clear();
    return drain(queued);
  }

  private static List<Long> drain(Deque<WriteRequest> from) {
    List<Long> ids = from.stream().filter(w -> !w.isInternal()).map(w -> w.id).toList();
    from.clear();
    return ids;
  }

  boolean isIdle() {
    return queued.isEmpty() && sent.isEmpty();
  }
}
