package org.salus.sim;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.effect.SessionError;
import org.salus.core.mount.Claim;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.EarlierReaders;
import org.salus.core.mount.Interruption;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountEffect;
import org.salus.core.mount.MountKeeper;
import org.salus.core.mount.MountRules;
import org.salus.core.session.Room;
import org.salus.sim.fault.Levers;

/** A user's handle of the volume, which stays mounted through one session after the other. */
final class SimClient implements MountEffect.Handler {
  /** How often a busy volume is asked for. */
  private static final long PATIENT = 50 * Clock.MILLI;

  /** The most by which a client's clock is fast or slow, in 1/1000. */
  private static final int MOST_RATE = 9;

  /** One of so many users goes on without what a power cut has taken. */
  private static final int ACCEPTING = 3;

  private static final long TICK = 10 * Clock.MILLI;

  /** Another process may go on for the user of all handles but each of so many. */
  private static final int ENDING_WITH_ITS_PROCESS = 4;

  private final Simulation sim;
  private final String claimId;
  private final boolean withoutUser;

  /** With what its user's earlier process has left it begins. */
  private final KeptMount begun;

  private final SimNote note;

  /** The client of the user's earlier process; null for none. */
  private final SimClient before;

  /** The newest session of that client then; null for none. */
  private final SimSession sessionBefore;

  /** What was acknowledged to the user before it began, by mount. */
  private final Map<Long, Long> toldBefore = new TreeMap<>();

  private final boolean acceptsLoss;
  private final EarlierReaders earlier;
  private final Room room;
  private final MountKeeper keeper;
  private final long rate;

  /** The newest session, and the one before the next; null before the first. */
  private SimSession session;

  /** While the client is cut off: the members that it can still reach, by region. */
  private Map<RegionId, SimMember> reachable = new TreeMap<>();

  private boolean cutOff;

  /** Each region's epoch when the client joined the others again; empty if it was never cut off. */
  private final Map<RegionId, Integer> epochsAfterCut = new TreeMap<>();

  private boolean resting;
  private boolean closing;
  private boolean dead;

  /** Whether its process has ended. It may be dead before. */
  private boolean gone;

  private long served;

  private boolean over;

  /**
   * A new user, or the master.
   *
   * @param withoutUser whether it is the master, which mounts the volume and closes it at once
   */
  SimClient(Simulation sim, int number, boolean withoutUser, Random random) {
    this(
        sim,
        begins((withoutUser ? "master " : "client ") + number, number, withoutUser, sim.mounts()),
        null,
        withoutUser,
        !withoutUser && number % ACCEPTING == 0,
        random);
  }

  private SimClient(
      Simulation sim,
      KeptMount begun,
      SimClient before,
      boolean withoutUser,
      boolean acceptsLoss,
      Random random) {
    this.sim = sim;
    this.begun = begun;
    this.before = before;
    this.sessionBefore = before == null ? null : before.lastSession();
    this.claimId = begun.by().lasts() ? begun.by().process() : begun.by().user();
    this.withoutUser = withoutUser;
    this.closing = withoutUser;
    this.rate = (long) random.nextInt(2 * MOST_RATE + 1) - MOST_RATE;
    this.earlier = new EarlierReaders(sim.mounts());
    this.acceptsLoss = acceptsLoss;
    this.note = new SimNote(begun);
    this.served = begun.regions().since();
    this.keeper =
        new MountKeeper(
            withoutUser ? sim.leases().settling() : sim.leases().acceptingLoss(acceptsLoss),
            sim.mounts(),
            begun);
    this.room = new Room(sim.spec.regionCount(), sim.firstPause());
  }

  private static KeptMount begins(
      String claimId, int number, boolean withoutUser, MountRules rules) {
    return withoutUser || number % ENDING_WITH_ITS_PROCESS == 0
        ? KeptMount.none(Claimant.alone(claimId))
        : KeptMount.first(rules, "user of " + claimId, claimId);
  }

  /**
   * The next process of the user, which begins with what this one has kept. It knows nothing of
   * what this one does later. Null if it may not go on.
   */
  SimClient next(int number, Random random) {
    if (!begun.by().lasts() || !sim.mounts().mayGoOn(note.isCertain(), sim.spec.synced())) {
      return null;
    }
    String id = "client " + number;
    KeptMount begins = note.found().next(sim.mounts(), "user of " + id, id);
    boolean isNewUser = begins.epoch() == 0;
    SimClient next =
        new SimClient(sim, begins, isNewUser ? null : this, false, acceptsLoss, random);
    for (SimSession s = next.lastSession(); s != null; s = s.before()) {
      next.toldBefore.put(s.mountEpoch, told(s.mountEpoch));
    }
    return next;
  }

  /** The newest session of the user as far as it is known here, or null. */
  private SimSession lastSession() {
    return session != null ? session : sessionBefore;
  }

  /**
   * What a mount has acknowledged to this client's user, as far as this client can know: an earlier
   * process may go on for a while.
   */
  long told(long mount) {
    return toldBefore.getOrDefault(mount, sim.checks.told(mount));
  }

  /** With what its user's earlier process has left it began. */
  KeptMount begun() {
    return begun;
  }

  /** By whom it claims. */
  Claimant claimant() {
    return begun.by();
  }

  /** Whether a client is this one, or that of an earlier process with whose note it began. */
  boolean isOrFollows(SimClient other) {
    return this == other || before != null && before.isOrFollows(other);
  }

  /** The newest mount that is kept for another process; the last number if none may follow. */
  long newestKept() {
    return begun.by().lasts() ? note.found().epoch() : Long.MAX_VALUE;
  }

  /** Its machine loses power. */
  void losesPower() {
    note.losesPower();
  }

  /** A session may tell the user something. */
  void keep(SimSession s) {
    if (begun.by().lasts() && s.session.mounted()) {
      note.relies(s.session);
    }
  }

  /** The id of its claims. */
  String id() {
    return claimId;
  }

  /** Whether it is the master, which settles what a writer has left. */
  boolean isWithoutUser() {
    return withoutUser;
  }

  /** Whether its user goes on without what a power cut has taken. */
  boolean acceptsLoss() {
    return acceptsLoss;
  }

  /** The client's monotonic clock. */
  long now() {
    long time = sim.now() + sim.clients().skew();
    return time + time / 1000 * rate;
  }

  /** Takes the volume at once, from whoever has it, and begins to mount it. */
  void takeOver() {
    begin(sim.zooKeeper().claim(this, 0, true).mountEpoch(), now());
    sim.clients().claimed(this);
  }

  /**
   * Goes on for the user of an earlier process as soon as no other writer has the volume. Claims
   * nothing if one had it.
   */
  void goOn() {
    List<MountRules.Look> looks = earlier.seen(sim.zooKeeper().readers(), now());
    if (keeper.mayClaim(sim.zooKeeper().mountEpoch(), looks)) {
      after(sim.smallDelay(), this::openWhenFree);
    } else {
      sim.trace(claimId + " does not claim the volume");
      over(new MountEffect.Over(Interruption.OVERTAKEN));
      dead = true;
    }
  }

  /** Mounts the volume as soon as nobody has it, unless the faults stop before. */
  void openWhenFree() {
    long askedAt = now();
    SimZooKeeper.Answer answer = sim.zooKeeper().claim(this, begun.epoch(), false);
    sim.clients().claimed(this);
    if (answer.mountEpoch() != 0) {
      if (begun.epoch() == 0) {
        begin(answer.mountEpoch(), askedAt);
      } else { // its process may end before it hears of that
        after(sim.smallDelay(), () -> begin(answer.mountEpoch(), askedAt));
      }
      return;
    }
    earlier.seen(sim.zooKeeper().readers(), now());
    if (sim.isChaos() && !withoutUser) {
      after(PATIENT, begun.epoch() == 0 ? this::openWhenFree : this::goOn);
    }
  }

  private void begin(long mountEpoch, long askedAt) {
    claimed(mountEpoch, askedAt);
    tick();
  }

  private void claimed(long mountEpoch, long askedAt) {
    List<MountRules.Look> looks = earlier.seen(sim.zooKeeper().readers(), now());
    keeper.claimed(new Claim(mountEpoch, askedAt, looks), now()).forEach(e -> e.performBy(this));
  }

  private void tick() {
    after(
        TICK,
        () -> {
          perform(() -> keeper.onTick(now()));
          if (over && keeper.isDone()) {
            dead = true;
            sim.clients().handleDone(this);
          }
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

  private void perform(Supplier<List<MountEffect>> event) {
    if (!dead) {
      event.get().forEach(e -> e.performBy(this));
    }
  }

  /** The process dies. ZooKeeper notes it later. */
  void kill() {
    gone = true;
    sim.checks.gone(session);
    end();
  }

  /**
   * The process dies, unless it has nothing left to do but to note what its session has lost: then
   * it lives for that.
   */
  void killUnlessItNotes() {
    if (session != null && session.hasLost()) {
      end();
    } else {
      kill();
    }
  }

  /** The newest mount that has served its user; 0 before the first. */
  long served() {
    return served;
  }

  /** Whether its process has ended. */
  boolean isGone() {
    return gone;
  }

  private void end() {
    dead = true;
    if (session != null) {
      session.kill();
    }
    sim.clock.after(sim.clients().sessionTimeout(), () -> sim.zooKeeper().expire(this));
  }

  /** The application closes the handle, and issues nothing more. */
  void close() {
    if (dead || over) {
      return;
    }
    sim.trace(claimId + " is closed");
    closing = true;
    boolean waits = !session.isDead() && !session.outstanding.isEmpty();
    perform(() -> keeper.close(waits, now()));
    if (session.session.mounted()) {
      session.close();
    }
  }

  /** Whether its application has closed it. */
  boolean isClosing() {
    return closing;
  }

  /** Whether it can be closed now. */
  boolean mayClose() {
    return !dead && !over && !closing && !resting && !cutOff;
  }

  /** Whether no session of it follows. */
  boolean hasEnded() {
    return dead || over;
  }

  /** Whether it has ended, and may have left a claim behind. */
  boolean isUnsettled() {
    return over && !dead;
  }

  // ---- what the session says ----

  void sessionMounted(long mountEpoch) {
    served = withoutUser ? served : mountEpoch;
    perform(keeper::sessionMounted);
    if (closing) {
      session.close();
    }
  }

  void sessionEnded(SimSession s, SessionError why, boolean withClaim) {
    perform(
        () ->
            keeper.sessionEnded(
                why,
                withClaim,
                s.session.acknowledged(),
                s.session.durable(),
                s.session.acknowledgements(),
                now()));
  }

  // ---- what goes wrong ----

  /** The client's session in ZooKeeper has ended, and the client hears of it. */
  void loseClaim() {
    sim.zooKeeper().expire(this);
    perform(() -> keeper.claimLost(session.mountEpoch));
  }

  /** ZooKeeper ends its session while the client is cut off, and does not hear of it. */
  void expire() {
    if (cutOff) {
      sim.zooKeeper().expire(this);
    }
  }

  /** Sets whether its application issues nothing but what races. */
  void rest(boolean on) {
    resting = on;
  }

  boolean isResting() {
    return resting;
  }

  /** Whether it has the volume mounted and no request outstanding. */
  boolean isIdle() {
    return !dead && !over && session.session.mounted() && session.outstanding.isEmpty();
  }

  boolean isCutOff() {
    return cutOff;
  }

  /** Whether a member of this epoch was replaced while the client was cut off. */
  boolean missed(RegionId region, int epoch) {
    return epoch < epochsAfterCut.getOrDefault(region, 0);
  }

  /** The name of its machine in the network. */
  String machine() {
    return cutOff ? claimId : Levers.CLIENT;
  }

  /** Cuts the client off from ZooKeeper and everybody but these members. */
  void cutOff(Map<RegionId, SimMember> but) {
    cutOff = true;
    reachable = Map.copyOf(but);
  }

  void joinAgain() {
    cutOff = false;
    for (int r = 0; r < sim.spec.regionCount(); r++) {
      RegionId region = sim.spec.regionId(r);
      epochsAfterCut.put(region, sim.master().epoch(region));
    }
    if (!dead) {
      session.joinAgain();
    }
  }

  /** The member to which a client that is cut off sends what is for a lane, or null. */
  SimMember reachable(Endpoint.Member to) {
    SimMember member = reachable.get(to.region());
    return member != null && member.place == Lanes.member(to.lane(), member.members.size())
        ? member
        : null;
  }

  // ---- effects ----

  @Override
  public void takeVolume(MountEffect.TakeVolume x) {
    long askedAt = now();
    sim.clients().claimed(this);
    sim.zooKeeper()
        .ask(
            this,
            () -> sim.zooKeeper().claim(this, x.after(), false),
            answer -> answered(answer, askedAt),
            () -> perform(() -> keeper.unreachable(now())));
  }

  private void answered(SimZooKeeper.Answer answer, long askedAt) {
    if (dead) {
      return;
    }
    if (answer.mountEpoch() != 0) {
      claimed(answer.mountEpoch(), askedAt);
    } else {
      earlier.seen(sim.zooKeeper().readers(), now());
      perform(() -> keeper.taken(answer.takenBy(), now()));
    }
  }

  @Override
  public void mount(MountEffect.Mount x) {
    if (lastSession() != null) {
      sim.checks.goesOn(claimId, isOvertaken(x.mountEpoch()));
    }
    note.mounts(x.mountEpoch());
    keeper.kept(x.mountEpoch());
    session = sim.clients().newSession(this, x, lastSession());
    if (x.hasUnseen()) {
      session.session.showNothingUnseen();
    }
    session.session.goOnWith(room);
    session.extend(x.readsUntil(), x.changesFrom());
    session.start();
  }

  /** Whether another user has had the volume since the last mount, and before the next. */
  private boolean isOvertaken(long next) {
    return sim.zooKeeper().isOvertaken(this, lastSession().mountEpoch, next);
  }

  @Override
  public void confirm(MountEffect.Confirm x) {
    sim.zooKeeper()
        .ask(
            this,
            () -> sim.zooKeeper().confirm(x.mountEpoch()),
            stands ->
                perform(
                    () -> stands ? keeper.confirmed(x, now()) : keeper.claimLost(x.mountEpoch())),
            () -> perform(() -> keeper.unconfirmed(x)));
  }

  @Override
  public void extend(MountEffect.Extend x) {
    session.extend(x.readsUntil(), x.changesFrom());
  }

  @Override
  public void forget(MountEffect.Forget x) {
    sim.zooKeeper()
        .ask(
            this,
            () -> {
              sim.zooKeeper().forget(x.mountEpochs());
              return true;
            },
            done -> perform(() -> keeper.forgot(x)),
            () -> {});
  }

  @Override
  public void endSession(MountEffect.EndSession x) {
    if (x.why() == SessionError.FENCED) {
      session.loseLease();
    } else {
      session.end(x.why());
    }
  }

  @Override
  public void giveBack(MountEffect.GiveBack x) {
    sim.zooKeeper()
        .ask(
            this,
            () -> {
              sim.zooKeeper().giveBack(x.mountEpoch(), x.withRecord());
              return true;
            },
            done -> perform(() -> keeper.givenBack(true)),
            () -> perform(() -> keeper.givenBack(false)));
  }

  @Override
  public void giveUp(MountEffect.GiveUp x) {
    sim.zooKeeper()
        .ask(
            this,
            () -> {
              sim.zooKeeper().giveUp(this, x.upTo());
              return true;
            },
            done -> perform(() -> keeper.gaveUp(true, now())),
            () -> perform(() -> keeper.gaveUp(false, now())));
  }

  @Override
  public void unmounted(MountEffect.Unmounted x) {
    sim.trace(claimId + " mounts again: " + x.why());
    if (closing) {
      after(0, this::close);
    } else {
      sim.closer().unmounted(this);
    }
  }

  @Override
  public void delayed(MountEffect.Delayed x) {
    sim.trace(claimId + " waits before it mounts again: " + x.why());
  }

  @Override
  public void ending(MountEffect.Ending x) {
    sim.trace(claimId + " ends: " + x.why());
  }

  @Override
  public void over(MountEffect.Over x) {
    sim.trace(claimId + " is over: " + x.why());
    if (x.why() == Interruption.OVERTAKEN || x.why() == Interruption.TAKEN) {
      sim.checks.overtaken(claimId, isOvertaken(Long.MAX_VALUE));
    }
    over = true;
    sim.clients().over(this);
  }
}
