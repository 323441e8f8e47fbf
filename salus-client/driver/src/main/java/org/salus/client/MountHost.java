package org.salus.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.salus.client.cluster.HandleNote;
import org.salus.client.cluster.LastingNote;
import org.salus.client.cluster.MountTools;
import org.salus.client.cluster.WriterStore;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.mount.Claim;
import org.salus.core.mount.Interruption;
import org.salus.core.mount.MountEffect;
import org.salus.core.mount.MountKeeper;
import org.salus.core.mount.MountRules;
import org.salus.core.mount.Reader;
import org.salus.core.session.Acknowledgements;
import org.salus.core.session.Room;
import org.salus.host.netty.Loop;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterLease.Confirmation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what a {@link MountKeeper} decides, so that a volume stays mounted: claims in ZooKeeper,
 * sessions, and words to the user's requests.
 *
 * <p>The constructor, {@link #opened}, {@link #done} and {@link #acquire} may be called on any
 * thread; all else must be called on the loop.
 */
final class MountHost implements SessionHost.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(MountHost.class);
  private static final Duration TICK = Duration.ofMillis(100);

  /** Told on the loop which session the volume has. */
  interface Listener {
    /** A session has mounted the volume. */
    void mounted(BlockSession session);

    /**
     * The session is over, and the volume will be mounted again.
     *
     * @param why the reason, or null while it is not known whether another writer took the volume
     */
    void unmounted(SalusException why);

    /** The next session is late. */
    void delayed(SalusException why);

    /** Whether requests wait for the next session. */
    boolean waits();

    /** No session will follow, and the lease is being given back. */
    void ending(SalusException why);

    /** No session will follow, and the lease has been given back, if ZooKeeper has answered. */
    void over(SalusException why);
  }

  /** A claim that stands, with what ZooKeeper said. */
  record Taken(WriterStore.Lease lease, Claim claim) {}

  private final VolumeSpec spec;
  private final MountTools tools;

  /** What the sessions of this handle find out about room, one after the other. */
  private final Room room;

  private final Listener listener;
  private final MountKeeper keeper;
  private final Effects handler = new Effects();
  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /** The claims that were not given back, by mount epoch. */
  private final Map<Long, WriterStore.Lease> leases = new HashMap<>();

  /** The running session; null between sessions. */
  private SessionHost current;

  /** What the user relies on by the sessions before. */
  private Acknowledgements acknowledgements;

  /** The mount epoch of the running session, or of the last one. */
  private long mountEpoch;

  /** The newest mount of this handle that has served its user; 0 before the first. */
  private long served;

  /** Why the last session ended. */
  private SalusException sessionEnd;

  /** Why the last claim failed. */
  private SalusException claimFailure;

  private boolean closing;
  private boolean over;

  /** Runs the ticks; null before the first mount. */
  private Loop.Timer timer;

  MountHost(VolumeSpec spec, MountTools tools, Listener listener) {
    this.spec = spec;
    this.tools = tools;
    this.room = new Room(spec.regionCount(), Room.FIRST_PAUSE_NANOS);
    this.listener = listener;
    this.acknowledgements = tools.note().regions();
    this.keeper = new MountKeeper(tools.mount(), MountRules.PAPER, tools.store().claimId());
  }

  /** Completes when the volume is mounted for the first time; fails when it cannot be. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Completes when the volume is over and none of its claims stands. */
  CompletableFuture<Void> done() {
    return done;
  }

  /**
   * Claims the volume for its first mount; blocks. If it fails and a claim may stand, the volume is
   * over, and the claim is given up.
   *
   * @throws SalusException.Fenced when the mount is to follow another one and cannot
   */
  Taken acquire(boolean force) throws ClusterStoreException {
    try {
      requireNoOther();
      return take(force, tools.mount().follows());
    } catch (ClusterStoreException.Busy
        | ClusterStoreException.Missing
        | ClusterStoreException.Restoring noClaim) {
      done.complete(null);
      throw noClaim;
    } catch (ClusterStoreException unknown) {
      tools.loop().execute(this::giveUp);
      throw unknown;
    }
  }

  /** Nobody is put out, and no mount epoch is used, for a mount that could not be. */
  private void requireNoOther() throws ClusterStoreException {
    long follows = tools.mount().follows();
    if (follows == 0) {
      return;
    }
    long newest = tools.store().newestMount();
    // Fewer mounts than before: ZooKeeper was put back, and nobody knows who had the volume since.
    if (newest < follows || !keeper.mayClaim(newest, look())) {
      done.complete(null);
      throw SessionFailures.overtaken(spec.name());
    }
  }

  private void giveUp() {
    startTicks();
    claimFailure = SessionFailures.closed(spec.name());
    perform(keeper.unreachable(now()));
    close();
  }

  private Taken take(boolean force, long after) throws ClusterStoreException {
    long askedAt = tools.loop().nanoTime();
    WriterStore.Lease lease;
    try {
      lease = tools.store().acquire(force, after, this::lost);
    } catch (ClusterStoreException.Busy busy) {
      look(); // the time for which the volume is busy counts
      throw busy;
    }
    try {
      warnOfLoss();
      return new Taken(lease, new Claim(lease.mountEpoch(), askedAt, look()));
    } catch (ClusterStoreException failed) {
      lease.leave(); // the next try finds it, and with it that nobody else had the volume
      throw failed;
    }
  }

  /** Warns the user of what is lost: perhaps only another client, or the master, has logged it. */
  private void warnOfLoss() throws ClusterStoreException {
    if (!tools.mount().withoutUser()) {
      VolumeInfo.Loss.of(tools.store().losses())
          .forEach(loss -> LOG.warn("volume {}: {}", spec.name(), loss.words(spec.name())));
    }
  }

  private List<MountRules.Look> look() throws ClusterStoreException {
    List<Reader> readers = tools.store().readers();
    return tools.earlier().seen(readers, tools.loop().nanoTime());
  }

  private void lost() {
    tools.loop().execute(this::reportLost);
  }

  private void reportLost() {
    List<Long> lost =
        leases.keySet().stream().filter(epoch -> !leases.get(epoch).isHeld()).toList();
    lost.forEach(epoch -> perform(keeper.claimLost(epoch)));
  }

  /** Mounts under this claim. */
  void mount(Taken next) {
    leases.put(next.claim().mountEpoch(), next.lease());
    startTicks();
    perform(keeper.claimed(next.claim(), now()));
    reportLost();
  }

  private void startTicks() {
    if (timer == null) {
      timer = tools.loop().scheduleEvery(TICK, this::tick);
    }
  }

  private void tick() {
    perform(keeper.onTick(now()));
  }

  private long now() {
    return tools.loop().nanoTime();
  }

  /**
   * The volume is being closed: a mount that has failed is not tried again later, and one for which
   * no request waits does not go on.
   */
  void close() {
    closing = true;
    perform(keeper.close(listener.waits(), now()));
  }

  /**
   * Ends at once, mounted or not. Every request is answered before the lease is given back, since
   * ZooKeeper may be away for long.
   */
  void abandon() {
    perform(keeper.abandon());
  }

  /** Ends at once after a bug. The session's requests get no answer. */
  void fault(SalusException why) {
    opened.completeExceptionally(why);
    if (current != null) {
      SessionHost dropped = current;
      current = null;
      dropped.drop();
    }
    perform(keeper.abandon());
  }

  @Override
  public void mounted(SessionHost session) {
    perform(keeper.sessionMounted());
    listener.mounted(session);
    opened.complete(null);
    served = tools.mount().withoutUser() ? served : mountEpoch;
    noteConfirmed(mountEpoch, session.loss());
  }

  /**
   * It is noted for certain that a mount has served, also once that session is over: what a later
   * mount finds lost must not be taken for an earlier loss.
   */
  private void noteConfirmed(long confirmed, Optional<SessionEffect.WentBack> loss) {
    new LastingNote(
            tools,
            "mount " + confirmed + " has found volume " + spec.name() + " whole",
            () -> tools.store().confirmed(confirmed, loss),
            () -> false,
            () -> {})
        .begin();
  }

  /**
   * The session waits for the note. It is written until ZooKeeper has taken it, also once the
   * session is over: nobody else may know as much. Only what a mount has found otherwise since is
   * written no more.
   */
  @Override
  public void wentBack(SessionHost session, SessionEffect.WentBack loss) {
    long found = mountEpoch;
    long before = served;
    if (loss.served()) {
      keeper.sessionLost();
    }
    new LastingNote(
            tools,
            "changes of volume " + spec.name() + " are lost",
            () -> tools.store().lost(found, loss, before),
            () -> !loss.served() && !session.loss().equals(Optional.of(loss)),
            () -> session.noted(loss))
        .begin();
  }

  @Override
  public void ended(SessionHost session, SessionError why) {
    boolean withLease = session.endedWithLease(why);
    sessionEnd = session.exception(why);
    current = null;
    acknowledgements = session.acknowledgements();
    perform(keeper.sessionEnded(why, withLease, session.acknowledged(), session.durable(), now()));
  }

  private void perform(List<MountEffect> effects) {
    effects.forEach(e -> e.performBy(handler));
    if (over && keeper.isDone() && !done.isDone()) {
      if (timer != null) {
        timer.cancel();
      }
      done.complete(null);
    }
  }

  private SalusException exception(Interruption why) {
    return switch (why) {
      case SESSION -> sessionEnd;
      case CLAIM_LOST -> SessionFailures.leaseLost(spec.name());
      case TAKEN, DELETED, UNREACHABLE -> claimFailure;
      case OVERTAKEN -> SessionFailures.overtaken(spec.name());
      case CLOSED -> SessionFailures.closed(spec.name());
    };
  }

  /** Performs the keeper's effects. */
  private final class Effects implements MountEffect.Handler {
    @Override
    public void takeVolume(MountEffect.TakeVolume x) {
      inBackground(() -> onLoop(claim(x.after())));
    }

    /** Claims the volume; blocks. Returns what is to be done on the loop then. */
    private Runnable claim(long after) {
      try {
        Taken next = take(false, after);
        return () -> MountHost.this.mount(next);
      } catch (ClusterStoreException.Busy taken) {
        return () -> taken(taken);
      } catch (ClusterStoreException.Missing deleted) {
        return () -> {
          claimFailure = new SalusException.NotFound(deleted.getMessage());
          perform(keeper.deleted());
        };
      } catch (ClusterStoreException failed) {
        return () -> {
          claimFailure = new SalusException.Unavailable(failed.getMessage(), failed);
          perform(keeper.unreachable(now()));
        };
      }
    }

    private void taken(ClusterStoreException.Busy taken) {
      String by = taken.writer().claimId();
      claimFailure =
          by.equals(tools.store().claimId())
              ? new SalusException.Unavailable(taken.getMessage(), taken)
              : new SalusException.Fenced(taken.getMessage());
      perform(keeper.taken(by, now()));
    }

    @Override
    public void mount(MountEffect.Mount x) {
      SessionHost session =
          new SessionHost(spec, withEarlier(x), acknowledgements, tools, MountHost.this);
      if (x.hasUnseen()) {
        session.showNothingUnseen();
      }
      session.goOnWith(room);
      session.extend(x.readsUntil(), x.changesFrom());
      if (x.changesFrom() - now() > 0) {
        LOG.info(
            "volume {}: an earlier writer was not closed and may still read; changes are"
                + " acknowledged in {} ms",
            spec.name(),
            Duration.ofNanos(x.changesFrom() - now()).toMillis());
      }
      tools.note().mounts(x.mountEpoch());
      mountEpoch = x.mountEpoch(); // it is kept
      session.start();
      current = session;
    }

    /** What the user relies on by an earlier process must be there, too. */
    private MountEffect.Mount withEarlier(MountEffect.Mount x) {
      HandleNote note = tools.note();
      long needed = tools.mount().acceptsLoss() ? note.durable() : note.acknowledged();
      long told = served == 0 ? note.acknowledged() : 0; // a mount has noted what of it is lost
      return new MountEffect.Mount(
          x.mountEpoch(),
          Math.max(needed, x.needed()),
          Math.max(told, x.told()),
          x.readsUntil(),
          x.changesFrom(),
          x.hasUnseen());
    }

    @Override
    public void confirm(MountEffect.Confirm x) {
      leases
          .get(x.mountEpoch())
          .confirm(outcome -> tools.loop().execute(() -> answered(x, outcome)));
    }

    private void answered(MountEffect.Confirm x, Confirmation outcome) {
      perform(
          switch (outcome) {
            case STANDS -> keeper.confirmed(x, now());
            case GONE -> keeper.claimLost(x.mountEpoch());
            case UNKNOWN -> keeper.unconfirmed(x);
          });
    }

    @Override
    public void extend(MountEffect.Extend x) {
      if (current != null) { // it could be started
        current.extend(x.readsUntil(), x.changesFrom());
      }
    }

    @Override
    public void forget(MountEffect.Forget x) {
      inBackground(
          () -> {
            try {
              tools.store().forget(x.mountEpochs());
              onLoop(() -> perform(keeper.forgot(x)));
            } catch (ClusterStoreException failed) {
              LOG.debug("the readers' records of {} stay for now", spec.name(), failed);
            }
          });
    }

    @Override
    public void endSession(MountEffect.EndSession x) {
      if (current == null) { // it could not be started
        sessionEnd = SessionFailures.closed(spec.name());
        perform(keeper.sessionEnded(x.why(), false, 0, 0, now()));
      } else if (x.why() == SessionError.FENCED) {
        current.loseLease();
      } else {
        current.end(x.why());
      }
    }

    @Override
    public void giveBack(MountEffect.GiveBack x) {
      WriterStore.Lease lease = leases.remove(x.mountEpoch());
      boolean record = x.mountEpoch() <= newestToForget();
      inBackground(
          () -> {
            boolean certain = lease.giveBack(record);
            onLoop(() -> perform(keeper.givenBack(certain)));
          });
    }

    @Override
    public void giveUp(MountEffect.GiveUp x) {
      long upTo = newestToForget();
      inBackground(
          () -> {
            boolean certain = gaveUp(upTo);
            onLoop(() -> perform(keeper.gaveUp(certain, now())));
          });
    }

    /**
     * The newest mount that may leave no record. The next process of a user does not know of one
     * that was not kept, and must see that it was no other writer's.
     */
    private long newestToForget() {
      return tools.note().lasts() ? mountEpoch : Long.MAX_VALUE;
    }

    private boolean gaveUp(long upTo) {
      try {
        tools.store().giveUp(upTo);
        return true;
      } catch (ClusterStoreException failed) {
        LOG.debug("a claim of {} may still stand", spec.name(), failed);
        return false;
      }
    }

    /** ZooKeeper may answer when the client has given it up, and nobody waits for that. */
    private void onLoop(Runnable what) {
      try {
        tools.loop().execute(what);
      } catch (RejectedExecutionException closed) {
        LOG.debug("the client was closed before ZooKeeper answered for {}", spec.name(), closed);
      }
    }

    private void inBackground(Runnable what) {
      try {
        tools.blocking().execute(what);
      } catch (RejectedExecutionException closed) {
        LOG.debug("the client is closed, and the claims of {} go with it", spec.name(), closed);
      }
    }

    @Override
    public void unmounted(MountEffect.Unmounted x) {
      SalusException why = exception(x.why());
      LOG.warn("{}; mounting it again", why.getMessage());
      listener.unmounted(x.why() == Interruption.CLAIM_LOST ? null : why);
      if (closing) {
        tools.loop().execute(MountHost.this::close);
      }
    }

    @Override
    public void delayed(MountEffect.Delayed x) {
      listener.delayed(exception(x.why()));
    }

    @Override
    public void ending(MountEffect.Ending x) {
      listener.ending(exception(x.why()));
    }

    @Override
    public void over(MountEffect.Over x) {
      over = true;
      SalusException why = exception(x.why());
      listener.over(why);
      opened.completeExceptionally(why);
    }
  }
}
