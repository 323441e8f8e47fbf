package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.session.VolumeSession;
import org.salus.core.session.block.ReadTarget;
import org.salus.sim.store.SimNotes;

/** A client process: the session, the application's requests and their results. */
final class SimSession implements SessionEffect.Handler {

  /** In so many places a block is changed in part. */
  private static final int PARTS = 8;

  /** Of so many new epochs, it hears of one late that it opens. */
  private static final int SELDOM = 3;

  /** ZooKeeper may be slow to take the note of a loss: longer than members may take to answer. */
  private static final long SLOW_NOTE = 13 * Clock.SECOND;

  /** A request of the application. */
  record Request(long id, char kind, long block, int count, ByteBuffer buffer, long issued) {
    /** Whether it writes a part of a block. */
    boolean isPartial() {
      return kind == 'p';
    }

    /** This partial write as one of the whole block, which was {@code before}. */
    Request merged(ByteBuffer before) {
      ByteBuffer whole = ByteBuffer.allocate(before.remaining()).put(0, before, 0, before.limit());
      whole.putLong((int) (id % PARTS) * Long.BYTES, buffer.getLong(0));
      return new Request(id, 'w', block, count, whole, issued);
    }
  }

  private final Simulation sim;
  final long mountEpoch;
  final VolumeSession session;
  final SimClient client;
  final TreeMap<Long, Request> outstanding = new TreeMap<>();

  /** The write that reads the block of which it changes a part; null for none. */
  private Request changing;

  /** What it has read. */
  private ByteBuffer before;

  /** Requests behind it, as in the block driver. */
  private final Deque<Request> behind = new ArrayDeque<>();

  private boolean closing;
  private final SimSession earlier;

  /** The number of power cuts before it was made; once it has mounted the volume, before that. */
  private int powerCuts;

  /** The region whose member was the last to refuse something. */
  private int refusedBy;

  private boolean lostLease;

  /** Whether it has lost what it acknowledged itself. */
  private boolean lost;

  /** What its mount has found last; null if it has not gone back. */
  private SessionEffect.WentBack wentBack;

  /** The epoch of each region of which it has heard last. */
  private final TreeMap<Integer, Integer> known = new TreeMap<>();

  /** The number of epochs that it has heard of. */
  private int heard;

  private boolean dead;

  /**
   * @param earlier the session whose user goes on with this one, or null for a new user
   */
  SimSession(
      Simulation sim,
      SimClient client,
      long mountEpoch,
      VolumeSession session,
      SimSession earlier) {
    this.sim = sim;
    this.client = client;
    this.mountEpoch = mountEpoch;
    this.session = session;
    this.earlier = earlier;
    this.powerCuts = sim.checks.powerCuts();
  }

  void start() {
    hearOfAll();
    tick();
  }

  /** The client is not cut off any more, and hears of what has happened. */
  void joinAgain() {
    hearOfAll();
  }

  private void hearOfAll() {
    for (int r = 0; r < sim.spec.regionCount(); r++) {
      if (!sim.master().serves(r)) {
        opening(r);
      }
    }
    sim.master().servingEpochs().forEach(this::rrs);
  }

  /** A region's newest epoch opens. A client that is cut off does not hear of it. */
  void opening(int region) {
    if (client.isCutOff()) {
      return;
    }
    int epoch = sim.master().epoch(sim.spec.regionId(region));
    int members = sim.master().members(region);
    heard++;
    after(
        (heard + mountEpoch) % SELDOM == 0 ? Clock.SECOND : sim.smallDelay(),
        () -> {
          known.merge(region, epoch, Math::max);
          perform(session.onOpening(region, epoch, members, now()));
        });
  }

  /** Sets the lease of the session's reads. */
  void extend(long readsUntil, long changesFrom) {
    perform(session.onLease(readsUntil, changesFrom, now()));
  }

  /** A region's RRS serves. A client that is cut off does not hear of it. */
  void rrs(int region, int epoch) {
    if (client.isCutOff()) {
      return;
    }
    int members = sim.master().servedBy(region).size();
    after(
        sim.smallDelay(),
        () -> {
          known.merge(region, epoch, Math::max);
          perform(session.onOpening(region, epoch, members, now()));
          perform(session.onRrs(region, epoch, members, now()));
        });
  }

  /** The epoch of a region whose members it asks. */
  int epoch(RegionId region) {
    return known.getOrDefault(region.index(), 0);
  }

  private void tick() {
    after(
        50 * Clock.MILLI,
        () -> {
          perform(session.onTick(now()));
          tick();
        });
  }

  private void after(long nanos, Runnable what) {
    sim.clock.after(
        nanos,
        () -> {
          if (!dead) {
            what.run();
          }
        });
  }

  private long now() {
    return client.now();
  }

  /** The lease is lost, which ends the session. */
  void loseLease() {
    lostLease = true;
    perform(session.end(SessionError.FENCED, now()));
  }

  /** Ends at once. */
  void end(SessionError why) {
    perform(session.end(why, now()));
  }

  /** Ends when its requests are done. */
  void close() {
    closing = true;
    if (changing == null) {
      perform(session.close(now()));
    }
  }

  /** The session whose user goes on with this one, or null. */
  SimSession before() {
    return earlier;
  }

  /**
   * The number of power cuts that took nothing that its user relies on: before the first session of
   * this user, or before this one has mounted the volume.
   */
  int powerCutsBefore() {
    return session.mounted() || earlier == null ? powerCuts : earlier.powerCutsBefore();
  }

  void kill() {
    dead = true;
  }

  /** Whether its application only reads, as half of them do while a writer before is cut off. */
  boolean onlyReads() {
    return mountEpoch % 2 == 1 && sim.clients().hasCutOff();
  }

  boolean isDead() {
    return dead;
  }

  /** Whether it has lost what it acknowledged itself. Then it only waits for the note of that. */
  boolean hasLost() {
    return lost;
  }

  void deliver(Endpoint from, Message m, ByteBuffer payload) {
    if (!dead) {
      if (m instanceof Message.Refused && from instanceof Endpoint.Member by) {
        refusedBy = by.region().index();
      }
      perform(session.onMessage(from, m, payload, now()));
    }
  }

  void issue(Request r) {
    outstanding.put(r.id(), r);
    sim.trace("request " + r.id() + " " + r.kind() + " " + r.block() + "+" + r.count());
    if (changing != null) {
      behind.add(r);
    } else {
      start(r);
    }
  }

  private void start(Request r) {
    if (r.isPartial()) {
      changing = r;
      before = ByteBuffer.allocate(r.buffer().remaining());
      perform(session.readToChange(r.id(), r.block(), ReadTarget.of(before), now()));
      return;
    }
    sim.checks.issued(this, r);
    perform(
        switch (r.kind()) {
          case 'w' -> session.write(r.id(), r.block(), r.buffer(), false, now());
          case 's' -> session.write(r.id(), r.block(), r.buffer(), true, now());
          case 'z' -> session.zero(r.id(), r.block(), r.count(), false, now());
          case 'Z' -> session.zero(r.id(), r.block(), r.count(), true, now());
          case 'f' -> session.flush(r.id(), now());
          default -> session.read(r.id(), r.block(), r.buffer(), now());
        });
  }

  /** The block that is changed in part is read. */
  private void change() {
    Request whole = changing.merged(before);
    sim.checks.readToChange(
        this,
        new Request(changing.id(), 'r', changing.block(), changing.count(), before, sim.now()));
    outstanding.put(whole.id(), whole);
    changing = null;
    start(whole);
    goOn();
  }

  private void goOn() {
    while (changing == null && !behind.isEmpty()) {
      start(behind.remove());
    }
    if (changing == null && closing) {
      perform(session.close(now()));
    }
  }

  private void perform(List<SessionEffect> effects) {
    client.keep(this);
    effects.forEach(e -> e.performBy(this));
  }

  @Override
  public void send(Send x) {
    sim.checks.sessionSends(this, x);
    sim.send(this, x);
  }

  // ---- the application's requests ----

  @Override
  public void done(SessionEffect.Done x) {
    if (changing != null && changing.id() == x.id()) {
      change();
      return;
    }
    sim.trace("done " + x.id());
    Request done = outstanding.remove(x.id());
    sim.took(sim.now() - done.issued());
    sim.checks.done(this, done);
  }

  @Override
  public void failed(SessionEffect.Failed x) {
    sim.trace("failed " + x.id() + " " + x.why());
    sim.checks.failed(this, outstanding.remove(x.id()), x);
    if (changing != null && changing.id() == x.id()) {
      changing = null;
      goOn();
    }
  }

  @Override
  public void zeroMap(SessionEffect.ZeroMap x) {
    throw new IllegalStateException("the application has not asked where zeros are: " + x);
  }

  // ---- the mount ----

  @Override
  public void mounted(SessionEffect.Mounted x) {
    sim.trace("mounted " + mountEpoch + " at " + session.mountedPrefix());
    powerCuts = sim.checks.powerCuts();
    sim.checks.mounted(this, session.mountedPrefix());
    long byUser = client.isWithoutUser() ? 0 : mountEpoch;
    sim.zooKeeper()
        .notes()
        .confirmed(new ConfirmedRecord(sim.spec.id(), mountEpoch, 0, 0, 0, byUser), client::isGone);
    client.sessionMounted(mountEpoch);
  }

  @Override
  public void ended(SessionEffect.Ended x) {
    sim.trace("ended " + mountEpoch + " " + x.why());
    dead = true;
    if (x.why() == SessionError.NO_SPACE && session.mounted()) {
      sim.checks.ranOut(this, refusedBy);
    }
    sim.checks.ended(this, x.why());
    client.sessionEnded(this, x.why(), lostLease && x.why() == SessionError.FENCED);
  }

  @Override
  public void lookUp(SessionEffect.LookUp x) {
    Integer epoch = sim.master().servingEpochs().get(x.region());
    if (epoch != null) {
      rrs(x.region(), epoch);
    }
  }

  @Override
  public void wentBack(SessionEffect.WentBack x) {
    sim.trace("mount " + mountEpoch + " goes back from " + x.acked() + " to " + x.prefix());
    sim.checks.wentBack(this, x);
    LossRecord.Loss found =
        new LossRecord.Loss(
            0, client.id(), mountEpoch, x.prefix(), x.acked(), x.served(), client.served());
    lost |= x.served();
    wentBack = x.served() ? wentBack : x;
    sim.zooKeeper()
        .notes()
        .lost(
            found,
            mountEpoch % SELDOM == 0 ? SLOW_NOTE : sim.smallDelay(),
            new SimNotes.Writer() {
              @Override
              public boolean isGone() {
                return client.isGone();
              }

              @Override
              public boolean isWithdrawn() {
                return !x.served() && !x.equals(wentBack);
              }

              @Override
              public void taken() {
                if (!dead) {
                  perform(session.noted(x, now()));
                }
              }
            });
  }

  // ---- what is wrong ----

  @Override
  public void stalled(Stalled x) {
    if (!client.isCutOff()) {
      complain(x);
    }
  }

  private void complain(Stalled x) {
    sim.master().stalled(x, "the session of mount " + mountEpoch);
  }

  @Override
  public void disagree(SessionEffect.Disagree x) {
    sim.trace(
        "mount " + mountEpoch + ": region " + x.region() + " lane " + x.lane() + " " + x.what());
    sim.checks.disagree(x);
    if (!client.isCutOff()) {
      sim.master().disagree(x);
    }
  }

  @Override
  public void report(SessionEffect.Report x) {
    sim.trace("report region " + x.region() + " lane " + x.lane() + ": " + x.what());
    sim.checks.reported(this, x);
    if (x.wrong() && !client.isCutOff()) {
      sim.master().accused(x);
    }
  }

  @Override
  public void unreadable(SessionEffect.Unreadable x) {
    sim.trace("unreadable in region " + x.region() + " " + x.blocks() + ": " + x.what());
    sim.checks.unreadable(x);
  }

  @Override
  public void readable(SessionEffect.Readable x) {
    sim.trace("readable " + x.blocks());
  }
}
