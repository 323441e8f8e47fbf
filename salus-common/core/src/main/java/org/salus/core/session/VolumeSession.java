package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.Reason;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Relied;
import org.salus.core.message.Message;
import org.salus.core.message.Message.*;
import org.salus.core.session.block.BlockBytes;
import org.salus.core.session.block.HashedBlocks;
import org.salus.core.session.block.ReadTarget;

/**
 * The session of the one writer of a volume (paper §4.1, §4.3). It takes requests and messages, and
 * returns effects. Requests that come before it has mounted the volume wait. {@code now} is the
 * host's time, in nanoseconds, and never goes back. Not thread-safe.
 */
public final class VolumeSession {
  private final SessionContext c;
  private final MountProtocol mounting;
  private final PageFetcher pages;
  private final ReadPath reads;
  private final WritePipeline writes;
  private final Refusals refusals;
  private final ZeroScan scans;
  private final RoomInquiry room;
  private final HeldRequests held;
  private final Assurance assurance;
  private Acknowledgements before = Acknowledgements.NONE;
  private boolean begun;
  private boolean closing;
  private boolean over;

  /**
   * @param mountEpoch the number of this mount, which came with the writer's lease
   */
  public VolumeSession(VolumeSpec spec, long mountEpoch, Signer signer, SessionConfig config) {
    this(spec, mountEpoch, signer, config, new HashedBlocks(), SessionRules.PAPER);
  }

  /**
   * @param bytes how the session hashes and joins the blocks that it is given
   * @param rules the rules by which the session acknowledges, mounts and believes
   */
  public VolumeSession(
      VolumeSpec spec,
      long mountEpoch,
      Signer signer,
      SessionConfig config,
      BlockBytes bytes,
      SessionRules rules) {
    c = new SessionContext(spec, mountEpoch, signer, config, bytes, rules);
    mounting = new MountProtocol(c);
    pages = new PageFetcher(c);
    reads = new ReadPath(c, pages);
    writes = new WritePipeline(c, pages, reads);
    reads.attach(writes);
    scans = new ZeroScan(c, pages, writes);
    room = new RoomInquiry(c);
    held = new HeldRequests(c, room, writes, reads, scans);
    refusals = new Refusals(c);
    assurance = new Assurance(c);
  }

  /**
   * Makes this session go on for the user of an earlier one, who relies on what was acknowledged.
   * It ends with an integrity error rather than mount a volume that lacks some of it. To be called
   * before everything else.
   *
   * @param needed what {@link #acknowledged} of the earlier session says, or {@link #durable} for a
   *     user who accepts that the rest is lost
   * @param told what {@link #acknowledged} says, also for a user who accepts losses: what of it is
   *     missing is told
   * @param earlier what {@link #acknowledgements} of the earlier session says
   */
  public void continueAfter(long needed, long told, Acknowledgements earlier) {
    c.needed = needed;
    c.told = told;
    before = earlier.atMost(needed);
  }

  /**
   * What the user relies on by this session, or by an earlier one while this one has not mounted
   * the volume.
   */
  public Acknowledgements acknowledgements() {
    return begun ? writes.acknowledgements() : before;
  }

  /**
   * The volume may hold changes that an earlier writer under a lease does not know. Reads wait for
   * the end of that lease, as they do once this session has sent a change. To be called before the
   * session begins.
   */
  public void showNothingUnseen() {
    c.answers.changing();
  }

  /**
   * Gives the session what earlier sessions of this user have found out about room, to go on with.
   * If one of them has ended for want of it, changes fail with {@link SessionError#NO_SPACE} until
   * every region says that there is room, and the session goes on. They wait for the first answers.
   * To be called before the session begins.
   */
  public void goOnWith(Room found) {
    c.room = found;
    if (found.isDoubted()) {
      room.doubt();
    }
  }

  /**
   * Puts this session under a lease, or tells it that its lease was made longer. Reads are answered
   * only while the lease stands; otherwise their answers wait. A session that was never told has no
   * need of a lease.
   *
   * @param readsUntil when the lease is over
   * @param changesFrom when no earlier writer reads any more. Until then no change is acknowledged,
   *     and no read answered once a change was sent
   */
  public List<SessionEffect> onLease(long readsUntil, long changesFrom, long now) {
    if (c.ended == null) {
      c.answers.set(readsUntil, changesFrom);
    }
    return finish(now);
  }

  /**
   * The seq up to which the user relies on the volume, because of earlier sessions too: what was
   * acknowledged, and what this session's mount began with.
   */
  public long acknowledged() {
    return Math.max(c.needed, c.acked);
  }

  /** The seq up to which this session knows everything to be durable; 0 before it has mounted. */
  public long durable() {
    return c.durable.seq();
  }

  /**
   * The host has noted durably what is lost. The mount goes on, or the session ends.
   *
   * @param loss what this session has said
   */
  public List<SessionEffect> noted(SessionEffect.WentBack loss, long now) {
    if (c.ended == null) {
      mounting.noted(loss, now);
    } else {
      refusals.noted(loss);
    }
    return finish(now);
  }

  /**
   * Notes that the master opens a new epoch of a region. From now on no vote of an earlier one
   * counts, and the session tells the new members what it has acknowledged. A host that says
   * nothing before {@link #onRrs} has them wait for the master instead.
   *
   * @param members the number of the epoch's members, 1 to 3
   */
  public List<SessionEffect> onOpening(int region, int epoch, int members, long now) {
    if (epoch > c.epochs[region] && c.ended == null) {
      int before = c.epochs[region];
      c.epochs[region] = epoch;
      c.members[region] = members;
      c.opening[region] = true;
      refusals.replaced(region);
      if (!mounting.done()) {
        mounting.forget(region);
      } else if (c.rules.beginsView(before, epoch)) {
        writes.newView(now);
      }
      assurance.begin(region, relied(region), now);
    }
    return finish(now);
  }

  private Relied relied(int region) {
    Acknowledgements user = acknowledgements();
    return new Relied(
        c.mountEpoch,
        mounting.isLogged() ? c.mountEpoch : user.since(),
        user.since(),
        user.of(region));
  }

  /**
   * Notes that a region's RRS of this epoch serves now.
   *
   * @param members the number of the epoch's members, 1 to 3
   */
  public List<SessionEffect> onRrs(int region, int epoch, int members, long now) {
    int before = c.epochs[region];
    boolean opened = c.opening[region] && epoch == before;
    if ((epoch > before || opened) && c.ended == null) {
      c.epochs[region] = epoch;
      c.members[region] = members;
      c.opening[region] = false;
      refusals.replaced(region);
      room.replaced(region, epoch);
      if (!mounting.done()) {
        mounting.forget(region);
        mounting.send(now);
      } else if (before != 0) {
        if (opened) {
          writes.opened(region, now);
        } else if (c.rules.beginsView(before, epoch)) {
          writes.newView(now);
        }
        reads.replaced(region, now);
        pages.replaced(region, now);
      }
    }
    return finish(now);
  }

  /**
   * Writes whole blocks.
   *
   * @param data the blocks, its remaining bytes. Nobody may change them from now on, not even after
   *     the request has ended: the session sends what it has hashed.
   */
  public List<SessionEffect> write(
      long id, long firstBlock, ByteBuffer data, boolean sync, long now) {
    return add(
        new WriteRequest(id, firstBlock, data.remaining() / c.spec.blockSize(), data, sync, now),
        now);
  }

  /** Makes {@code count} blocks zeros. */
  public List<SessionEffect> zero(long id, long firstBlock, long count, boolean sync, long now) {
    return add(new WriteRequest(id, firstBlock, count, null, sync, now), now);
  }

  /** Makes every write before it durable; it is done when they are (paper §2.2). */
  public List<SessionEffect> flush(long id, long now) {
    return add(new WriteRequest(id, 0, 0, null, true, now), now);
  }

  private List<SessionEffect> add(WriteRequest w, long now) {
    if (refuse(w.id)) {
      return c.take();
    }
    held.add(w);
    return finish(now);
  }

  /**
   * Reads whole blocks into {@code into}'s remaining bytes, which belong to the session until the
   * request's {@code Done} or {@code Failed}.
   */
  public List<SessionEffect> read(long id, long firstBlock, ByteBuffer into, long now) {
    return read(id, firstBlock, into.remaining() / c.spec.blockSize(), ReadTarget.of(into), now);
  }

  /** Reads {@code count} blocks and gives them to {@code into}. */
  public List<SessionEffect> read(long id, long firstBlock, long count, ReadTarget into, long now) {
    if (refuse(id)) {
      return c.take();
    }
    held.read(id, firstBlock, count, into, now);
    return finish(now);
  }

  /**
   * Reads one block as every change before leaves it, so that its caller can write it with a part
   * changed. The caller must give the session no other change of the block in between, and must
   * show the bytes to nobody: the changes before may not be acknowledged yet, and the lease may be
   * over. What this session has written lately is not asked for.
   */
  public List<SessionEffect> readToChange(long id, long block, ReadTarget into, long now) {
    if (refuse(id)) {
      return c.take();
    }
    held.readToChange(id, block, into, now);
    return finish(now);
  }

  /** Asks which blocks of a range read as zeros; {@code ZeroMap} is the answer. */
  public List<SessionEffect> zeroMap(long id, long firstBlock, long count, long now) {
    if (refuse(id)) {
      return c.take();
    }
    held.zeroMap(id, firstBlock, count, now);
    return finish(now);
  }

  private boolean refuse(long id) {
    if (c.ended != null || closing) {
      c.out(new SessionEffect.Failed(id, c.ended != null ? c.ended : SessionError.CLOSED));
      return true;
    }
    return false;
  }

  /**
   * Takes a message from a member; {@code payload} may be null and is not kept.
   *
   * @param from the sender, for certain: the host takes the message from this member's server only
   */
  public List<SessionEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (c.ended != null
        || !(from instanceof Endpoint.Member member)
        || member.region().volume() != c.spec.id()) {
      return c.take();
    }
    int region = member.region().index();
    if (region < 0 || region >= c.epochs.length) {
      return c.take();
    }
    if (m instanceof Commit x) {
      onCommit(x);
    } else if (m instanceof Abort x
        && mounting.done()
        && x.no().mountEpoch() == c.mountEpoch
        && c.speaksFor(member, x.leader(), x.no().lane())) {
      writes.onAbort(x.no(), now);
    } else if (m instanceof Refused x) {
      onRefused(region, x, now);
    } else if (m instanceof GetReply x) {
      reads.onReply(member, x, payload, now);
    } else if (m instanceof PageReply x) {
      pages.onReply(member, x, now);
    } else if (m instanceof StatusReply x && c.speaksFor(member, region, x.lane())) {
      writes.onStatus(region, x);
      room.onStatus(region, x);
    } else if (m instanceof MountReply x && c.speaksFor(member, region, x.lane())) {
      mounting.onMountReply(region, x, now);
    } else if (m instanceof ResolveReply x && c.speaksFor(member, region, x.lane())) {
      mounting.onResolveReply(region, x);
      if (mounting.done() && !begun) {
        begun = true;
        writes.begin(mounting.mounted(), mounting.isKnownDurable(), now);
        room.onTick(now);
      }
    }
    return finish(now);
  }

  private void onCommit(Commit x) {
    boolean ours =
        begun
            && x.to() == Commit.SESSION
            && x.mountEpoch() == c.mountEpoch
            && x.lane() >= 0
            && x.lane() < Lanes.COUNT;
    if (ours && x.isSigned(c.spec.id(), c.signer)) {
      writes.onCommit(x);
    }
  }

  private void onRefused(int region, Refused x, long now) {
    if (x.mountEpoch() != c.mountEpoch || !refusals.isSigned(region, x)) {
      return;
    }
    if (x.why() == Refusal.WRONG_EPOCH) {
      if (x.epoch() > c.epochs[region]) {
        c.out(new SessionEffect.LookUp(region));
      }
    } else if (x.epoch() == c.epochs[region]) {
      switch (x.why()) {
        case FENCED -> refusals.onFenced(region, x);
        case LOST -> refusals.onLost(region, x, writes.settledHere(region), now);
        default -> onRefusedByM0(region, x, now);
      }
    }
  }

  private void onRefusedByM0(int region, Refused x, long now) {
    if (x.lane() == 0 && x.why() == Refusal.NO_SPACE) {
      onNoSpace(region, now);
    } else if (x.lane() == 0 && begun) {
      writes.onRefused(region, x, now);
    }
  }

  /**
   * Only M0 knows, so the session must believe it. But it can refuse only what it was asked: each
   * end costs every region a MOUNT record, and a wrong M0 must not end one session after the other.
   */
  private void onNoSpace(int region, long now) {
    if (!begun) {
      c.ended = SessionError.NO_SPACE;
    } else if (writes.isOutstanding(region)) {
      c.ended = SessionError.NO_SPACE;
      c.room.refused(region, now);
    }
  }

  /** To be called every few tens of milliseconds. */
  public List<SessionEffect> onTick(long now) {
    if (c.ended == null) {
      assurance.onTick(now);
      mounting.onTick(now);
      if (begun) {
        pages.onTick(now);
        reads.onTick(now);
        scans.onTick(now);
        writes.onTick(now);
        room.onTick(now);
        refusals.onTick(now);
        if (now - Math.min(writes.oldest(now), held.oldest(now))
            >= c.config.requestTimeoutNanos()) {
          c.ended = SessionError.TIMED_OUT;
        }
      }
    } else if (closing && refusals.isNoteLate(now)) {
      closeUnnoted();
    } else if (refusals.isNoteOverdue(now)) {
      refusals.giveUpNote();
    }
    return finish(now);
  }

  private void closeUnnoted() {
    refusals.giveUpNote();
    c.ended = SessionError.CLOSED;
  }

  /**
   * Takes no more requests; {@code Ended(CLOSED)} follows when those before are done. A session
   * that waits for the note of a loss goes on waiting, but not for long.
   */
  public List<SessionEffect> close(long now) {
    closing = true;
    return finish(now);
  }

  /**
   * Ends the session: the writer's lease is lost, or a region has no room to go on. The session
   * sends nothing more. If it waits for the note of what it has lost, then only its user's {@code
   * CLOSED} ends it sooner: it needs no lease and no room for that, and its requests have failed.
   */
  public List<SessionEffect> end(SessionError why, long now) {
    if (c.ended == null) {
      c.ended = why;
    } else if (refusals.awaitNote() && why == SessionError.CLOSED) {
      closeUnnoted();
    }
    return finish(now);
  }

  private List<SessionEffect> finish(long now) {
    if (c.ended == null) {
      held.pump(now);
    }
    if (c.ended == null && begun) {
      writes.pump(now);
      reads.pump(now);
      writes.pump(now);
      scans.pump(now);
      c.answers.release(now);
    }
    if (c.ended == null && closing && isIdle()) {
      c.ended = SessionError.CLOSED;
    }
    if (c.ended != null && !over) {
      fail(c.answers.drainChanges(), c.rules.isInDoubt(true));
      fail(c.answers.drainReads(), false);
      fail(writes.drainSent(), c.rules.isInDoubt(true));
      fail(writes.drain(), c.rules.isInDoubt(false));
      fail(reads.drain(), false);
      fail(scans.drain(), false);
      fail(held.drain(), false);
      if (!refusals.awaitNote()) {
        over = true;
        c.out(new SessionEffect.Ended(c.ended));
      }
    }
    return c.take();
  }

  private void fail(List<Long> ids, boolean inDoubt) {
    ids.forEach(id -> c.out(new SessionEffect.Failed(id, c.ended, inDoubt)));
  }

  private boolean isIdle() {
    return held.isIdle()
        && writes.isIdle()
        && reads.isIdle()
        && scans.isIdle()
        && c.answers.isIdle();
  }

  /** Whether answers that are ready wait for an earlier writer, which ends by itself. */
  public boolean waitsForOthers() {
    return c.answers.waitForOthers();
  }

  /** What the mount, or answers that are ready, wait for besides the servers; empty if nothing. */
  public String waitsFor(long now) {
    return c.answers.waitForLease(now)
        ? Reason.LEASE_UNCONFIRMED.words()
        : c.answers.waitForOthers()
            ? "an earlier writer, which was not closed, may still read old data for some seconds"
            : mounting.awaitsNote()
                ? "a note in ZooKeeper of acknowledged changes that are lost"
                : "";
  }

  /**
   * The answers in which members differ at the mount, in words; empty if none. The mount then waits
   * for other members.
   */
  public String dispute() {
    return mounting.dispute();
  }

  public boolean mounted() {
    return begun;
  }

  /**
   * The seq up to which the volume had everything when it was mounted. It is known once the mount
   * is done.
   */
  public long mountedPrefix() {
    return mounting.prefix();
  }
}
