package org.salus.core.mount;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.effect.SessionError;
import org.salus.core.mount.MountEffect.Confirm;
import org.salus.core.mount.MountEffect.Delayed;
import org.salus.core.mount.MountEffect.EndSession;
import org.salus.core.mount.MountEffect.Ending;
import org.salus.core.mount.MountEffect.Extend;
import org.salus.core.mount.MountEffect.Forget;
import org.salus.core.mount.MountEffect.GiveBack;
import org.salus.core.mount.MountEffect.GiveUp;
import org.salus.core.mount.MountEffect.Mount;
import org.salus.core.mount.MountEffect.Over;
import org.salus.core.mount.MountEffect.TakeVolume;
import org.salus.core.mount.MountEffect.Unmounted;
import org.salus.core.session.Acknowledgements;

/**
 * Keeps a volume mounted for one user's handle. It takes what ZooKeeper and the session say, and
 * returns effects. {@code now} is the client's monotonic clock in nanoseconds. Not thread-safe.
 *
 * <ul>
 *   <li>Mounts again, under the next mount epoch, after a session that ended for want of room, by a
 *       timeout, because it was fenced, or with the loss of the claim. So it does after one that
 *       has lost what it acknowledged, if the user accepts that.
 *   <li>Never mounts again after another writer, whose writes this handle's user knows nothing of.
 *   <li>The next session does not mount a volume that lacks what was acknowledged to the user,
 *       unless the user accepts that.
 *   <li>Keeps the lease under which the session answers reads.
 *   <li>Leaves no claim behind, not even one of which it is not known whether it stands.
 *   <li>Goes on for the user of an earlier process by the same rules, with what that one has kept
 *       ({@link KeptMount}), and ends for good once a later one has claimed the volume.
 * </ul>
 *
 * <p>The master mounts volumes without a user, to settle what a writer has left. Such a mount is
 * nobody's: its reader's record stays, so that the writer that comes back sees that it may go on.
 */
public final class MountKeeper {
  /** How long a close between two mounts waits for ZooKeeper. */
  static final long CLOSING_NANOS = 3_000_000_000L;

  private final MountConfig config;
  private final MountRules rules;
  private final KeptMount user;
  private final Claimant claimant;
  private final RetryPause retries = RetryPause.ofClaims();

  /** The mount epoch of the running session; 0 between sessions. */
  private long running;

  /** The mount epoch of the running session or of the last one to be followed; 0 is none. */
  private long last;

  /** Whether the running session has mounted the volume. */
  private boolean mounted;

  /** Whether the running session has lost what it acknowledged. */
  private boolean lost;

  /** Whether a session of this handle has ever mounted the volume. */
  private boolean opened;

  /** The seq up to which the volume must be there when it is mounted again. */
  private long needed;

  /** The seq up to which changes were acknowledged to the user since the last mount. */
  private long told;

  /** What the user relies on, by region. */
  private Acknowledgements relied;

  /** The newest mount that was kept for another process of the user. */
  private long kept;

  /** Whether a claim is not answered. */
  private boolean claiming;

  /** Whether the next claim waits for {@link #claimAt}. */
  private boolean pausing;

  private long claimAt;
  private boolean closing;
  private boolean abandoned;

  /** Why no session will follow; null while one may. */
  private Interruption end;

  /** The number of claims that are being given back, which must come before the end. */
  private int returning;

  /** Whether the end waits for answers of ZooKeeper until {@link #hastyAt} only. */
  private boolean hasty;

  private long hastyAt;

  private boolean over;

  /** Whether a claim may stand of which this handle does not know. */
  private boolean unsettled;

  /** Whether a claim or its reader's record may stand because it could not be given back. */
  private boolean leftBehind;

  /** Whether it is not answered yet that claims are given up. */
  private boolean givingUp;

  /** Whether the next try to give claims up waits for {@link #giveUpAt}. */
  private boolean restsBeforeGivingUp;

  private long giveUpAt;

  /** Whether a confirmation is not answered. */
  private boolean confirming;

  private long askedAt;
  private long readsUntil;
  private long changesFrom;

  /** The mounts whose readers' records are to be removed once their leases are over. */
  private List<Long> forgotten = List.of();

  private List<MountEffect> effects = new ArrayList<>();

  /**
   * @param user who claims, and with what he goes on
   */
  public MountKeeper(MountConfig config, MountRules rules, KeptMount user) {
    this.config = config;
    this.rules = rules;
    this.user = user;
    this.claimant = user.by();
    this.last = user.epoch();
    this.kept = user.epoch();
    this.needed = config.acceptsLoss() ? user.durable() : user.acknowledged();
    this.told = user.acknowledged();
    this.relied = user.regions();
  }

  // ---- claims ----

  /**
   * Whether a claim would be good now. One that is not would be given back, and yet stand in the
   * way of another writer that comes back.
   *
   * @param newest the newest mount epoch
   * @param readers all readers' records, looked at after that
   */
  public boolean mayClaim(long newest, List<MountRules.Look> readers) {
    return rules.follows(last, newest + 1, epoch -> isHarmless(readers, epoch));
  }

  /** A claim stands. */
  public List<MountEffect> claimed(Claim claim, long now) {
    claiming = false;
    unsettled = false;
    leftBehind = hasOwnBefore(claim);
    if (end != null) {
      giveBack(claim.mountEpoch());
      return take();
    }
    if (!rules.follows(last, claim.mountEpoch(), epoch -> isHarmless(claim.readers(), epoch))) {
      giveBackAndEnd(claim.mountEpoch(), Interruption.OVERTAKEN);
      return take();
    }
    last = claim.mountEpoch();
    running = last;
    lost = false;
    confirming = false;
    askedAt = claim.askedAt();
    readsUntil = rules.leaseEnd(askedAt, now, config.leaseNanos());
    List<MountRules.Look> others =
        claim.readers().stream().filter(x -> !x.reader().claimant().equals(claimant)).toList();
    changesFrom = rules.changesFrom(others, now, config.waitNanos());
    forgotten =
        claim.readers().stream()
            .map(x -> x.reader().mountEpoch())
            .filter(epoch -> epoch < last) // a later writer may have claimed before the look
            .filter(epoch -> !config.withoutUser()) // their writers may come back
            .toList();
    effects.add(
        new Mount(
            last, needed, told, relied, readsUntil, changesFrom, rules.hasUnseen(others, last)));
    return take();
  }

  /** The number of a mount is kept for another process of the user. */
  public void kept(long mountEpoch) {
    kept = mountEpoch;
  }

  /** Whether a record of an earlier mount of this handle stands. */
  private boolean hasOwnBefore(Claim claim) {
    return claim.readers().stream()
        .map(MountRules.Look::reader)
        .anyMatch(r -> r.mountEpoch() < claim.mountEpoch() && r.claimant().equals(claimant));
  }

  private boolean isHarmless(List<MountRules.Look> readers, long epoch) {
    return readers.stream()
        .map(MountRules.Look::reader)
        .anyMatch(r -> r.mountEpoch() == epoch && rules.isHarmless(r, user));
  }

  /**
   * Somebody has the volume.
   *
   * @param by who has claimed it
   */
  public List<MountEffect> taken(Claimant by, long now) {
    claiming = false;
    if (by.equals(claimant)) {
      later(Interruption.TAKEN, now);
    } else {
      leftBehind |= unsettled; // the record of a claim that was committed and replaced
      unsettled = false;
      over(Interruption.TAKEN);
    }
    return take();
  }

  /** The volume is not there any more. */
  public List<MountEffect> deleted() {
    claiming = false;
    unsettled = false;
    leftBehind = false;
    over(Interruption.DELETED);
    return take();
  }

  /** It is not known what came of the claim. */
  public List<MountEffect> unreachable(long now) {
    claiming = false;
    unsettled = true;
    later(Interruption.UNREACHABLE, now);
    return take();
  }

  /** The claim of a mount is gone. */
  public List<MountEffect> claimLost(long mountEpoch) {
    if (mountEpoch == running && running != 0) {
      effects.add(new EndSession(SessionError.FENCED));
    }
    return take();
  }

  /**
   * A claim was given back.
   *
   * @param certain whether ZooKeeper has said so; otherwise it may stand
   */
  public List<MountEffect> givenBack(boolean certain) {
    returning--;
    leftBehind |= !certain;
    overIfReady();
    return take();
  }

  /**
   * This handle's claims were given up.
   *
   * @param certain whether ZooKeeper has said so; otherwise they may stand
   */
  public List<MountEffect> gaveUp(boolean certain, long now) {
    givingUp = false;
    unsettled &= !certain;
    leftBehind &= !certain;
    restsBeforeGivingUp = true;
    giveUpAt = now + retries.next();
    return take();
  }

  /** Whether this handle is over and leaves no claim behind, so that it needs no ticks. */
  public boolean isDone() {
    return over
        && rules.leavesNothing(claiming || returning > 0 || givingUp, unsettled || leftBehind);
  }

  // ---- the lease ----

  /** ZooKeeper has confirmed that the claim stands. */
  public List<MountEffect> confirmed(Confirm asked, long now) {
    if (asked.mountEpoch() == running) {
      confirming &= asked.askedAt() != askedAt;
      long until = rules.leaseEnd(asked.askedAt(), now, config.leaseNanos());
      if (until - readsUntil > 0) {
        readsUntil = until;
        effects.add(new Extend(readsUntil, changesFrom));
      }
    }
    return take();
  }

  /** It is not known what came of a confirmation. */
  public List<MountEffect> unconfirmed(Confirm asked) {
    if (asked.mountEpoch() == running) {
      confirming &= asked.askedAt() != askedAt;
    }
    return take();
  }

  /** Records of earlier readers are gone. */
  public List<MountEffect> forgot(Forget asked) {
    if (asked.mountEpochs().equals(forgotten)) {
      forgotten = List.of();
    }
    return take();
  }

  // ---- the session ----

  /** The running session has mounted the volume. */
  public List<MountEffect> sessionMounted() {
    mounted = true;
    opened = true;
    told = 0; // whatever of it is lost is noted
    retries.begin();
    return take();
  }

  /**
   * The running session has lost changes that it has acknowledged itself. Its end follows, with an
   * integrity error.
   */
  public void sessionLost() {
    lost = true;
  }

  /**
   * The running session has ended, and answers nothing more.
   *
   * @param withClaim whether the loss of the claim ended it
   * @param acknowledged up to which seq the user relies on the volume
   * @param durable up to which seq everything is durable
   * @param regions the same as {@code acknowledged}, by region
   */
  public List<MountEffect> sessionEnded(
      SessionError why,
      boolean withClaim,
      long acknowledged,
      long durable,
      Acknowledgements regions,
      long now) {
    long was = running;
    boolean wasMounted = mounted;
    running = 0;
    mounted = false;
    needed = Math.max(needed, config.acceptsLoss() ? durable : acknowledged);
    told = rules.toldSince(told, acknowledged);
    relied = regions;
    Interruption reason = withClaim ? Interruption.CLAIM_LOST : Interruption.SESSION;
    if (!opened || abandoned || !mayBeMountedAgain(why, withClaim, wasMounted)) {
      giveBackAndEnd(was, reason);
      return take();
    }
    effects.add(new Unmounted(reason));
    giveBack(was);
    if (wasMounted) {
      claim();
    } else {
      later(reason, now);
    }
    return take();
  }

  private boolean mayBeMountedAgain(SessionError why, boolean withClaim, boolean wasMounted) {
    // A session that is fenced may not have heard yet that its claim is gone. Who has fenced it
    // shows when the volume is claimed again.
    return why == SessionError.NO_SPACE
        || why == SessionError.TIMED_OUT
        || why == SessionError.FENCED && wasMounted
        || why == SessionError.INTEGRITY && rules.goesOnAfterLoss(lost, config.acceptsLoss())
        || withClaim;
  }

  // ---- the user ----

  /**
   * The volume is being closed: a mount that has failed is not tried again later, and one for which
   * nobody waits does not go on. Then the end waits for ZooKeeper to say that the claim is gone,
   * but not for long.
   *
   * @param awaited whether requests wait for the next session
   */
  public List<MountEffect> close(boolean awaited, long now) {
    closing = true;
    if (end == null && !mounted && (pausing || !awaited)) {
      hasty = true;
      hastyAt = now + CLOSING_NANOS;
      if (running != 0) {
        effects.add(new EndSession(SessionError.CLOSED));
      } else {
        over(Interruption.CLOSED);
      }
    }
    return take();
  }

  /** Ends at once, mounted or not. Every request is answered before the claim is given back. */
  public List<MountEffect> abandon() {
    abandoned = true;
    if (running != 0) {
      effects.add(new EndSession(SessionError.CLOSED));
    } else if (end == null) {
      effects.add(new Ending(Interruption.CLOSED));
      end = Interruption.CLOSED;
      overIfReady();
    }
    effects.add(new Delayed(Interruption.CLOSED));
    return take();
  }

  // ---- time ----

  /** To be called often, compared with the times of leases. */
  public List<MountEffect> onTick(long now) {
    if (pausing && now - claimAt >= 0 && end == null) {
      claim();
    }
    if (running != 0) {
      if (now - askedAt >= (confirming ? config.leaseNanos() : config.confirmNanos())) {
        confirming = true;
        askedAt = now;
        effects.add(new Confirm(running, now));
        if (!forgotten.isEmpty() && rules.mayForget(now, changesFrom)) {
          effects.add(new Forget(forgotten));
        }
      }
    }
    if (hasty && end != null && now - hastyAt >= 0) {
      overNow();
    }
    giveUp(now);
    return take();
  }

  private void giveUp(long now) {
    boolean may = end != null && !claiming && returning == 0 && !givingUp;
    if (may
        && !rules.leavesNothing(false, unsettled || leftBehind)
        && (!restsBeforeGivingUp || now - giveUpAt >= 0)) {
      givingUp = true;
      effects.add(new GiveUp(newestToForget()));
    }
  }

  // ---- steps ----

  private void claim() {
    pausing = false;
    claiming = true;
    effects.add(new TakeVolume(last));
  }

  private void later(Interruption why, long now) {
    if (end != null) {
      overIfReady();
      return;
    }
    effects.add(new Delayed(why));
    if (closing) {
      over(Interruption.CLOSED);
    } else {
      pausing = true;
      claimAt = now + retries.next();
    }
  }

  private void giveBack(long mountEpoch) {
    returning++;
    effects.add(new GiveBack(mountEpoch, mountEpoch <= newestToForget()));
  }

  private long newestToForget() {
    return rules.newestToForget(claimant.lasts(), kept);
  }

  private void giveBackAndEnd(long mountEpoch, Interruption why) {
    if (end == null) {
      end = why;
      effects.add(new Ending(why));
    }
    giveBack(mountEpoch);
  }

  private void over(Interruption why) {
    if (end == null) {
      end = why;
    }
    overIfReady();
  }

  private void overIfReady() {
    if (end != null && !claiming && returning == 0) {
      overNow();
    }
  }

  private void overNow() {
    if (!over) {
      over = true;
      effects.add(new Over(end));
    }
  }

  private List<MountEffect> take() {
    List<MountEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
