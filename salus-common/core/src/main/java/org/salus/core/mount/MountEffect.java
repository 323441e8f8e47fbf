package org.salus.core.mount;

import java.util.List;
import org.salus.core.effect.SessionError;
import org.salus.core.session.Acknowledgements;

/** What a {@link MountKeeper} asks of its host. */
public sealed interface MountEffect {
  /** Has the method of {@code handler} for this effect perform it. */
  void performBy(Handler handler);

  /** Performs effects: one method for each. */
  interface Handler {
    /** See {@link TakeVolume}. */
    void takeVolume(TakeVolume x);

    /** See {@link Mount}. */
    void mount(Mount x);

    /** See {@link Confirm}. */
    void confirm(Confirm x);

    /** See {@link Extend}. */
    void extend(Extend x);

    /** See {@link Forget}. */
    void forget(Forget x);

    /** See {@link EndSession}. */
    void endSession(EndSession x);

    /** See {@link GiveBack}. */
    void giveBack(GiveBack x);

    /** See {@link GiveUp}. */
    void giveUp(GiveUp x);

    /** See {@link Unmounted}. */
    void unmounted(Unmounted x);

    /** See {@link Delayed}. */
    void delayed(Delayed x);

    /** See {@link Ending}. */
    void ending(Ending x);

    /** See {@link Over}. */
    void over(Over x);
  }

  /**
   * Claim the volume without force, and report what comes of it.
   *
   * @param after the mount epoch of the last claim that was used; a claim of this client with a
   *     higher one stands
   */
  record TakeVolume(long after) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.takeVolume(this);
    }
  }

  /**
   * Keep the mount's number if another process may go on for the user, and report that. Then begin
   * a session under the claim, which may go on for its user, and put it under the lease.
   *
   * @param needed see {@code VolumeSession.continueAfter}; so are {@code told} and {@code relied}
   * @param readsUntil see {@code VolumeSession.onLease}; so is {@code changesFrom}
   * @param hasUnseen see {@code VolumeSession.showNothingUnseen}
   */
  record Mount(
      long mountEpoch,
      long needed,
      long told,
      Acknowledgements relied,
      long readsUntil,
      long changesFrom,
      boolean hasUnseen)
      implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.mount(this);
    }
  }

  /**
   * Confirm in ZooKeeper that the claim stands: a conditional write of its reader's record. Report
   * the answer with {@code askedAt}. The request may be sent later than that, never earlier.
   */
  record Confirm(long mountEpoch, long askedAt) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.confirm(this);
    }
  }

  /** Tell the session its lease. */
  record Extend(long readsUntil, long changesFrom) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.extend(this);
    }
  }

  /** Remove these mounts' readers' records, whose leases are over. Report when they are gone. */
  record Forget(List<Long> mountEpochs) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.forget(this);
    }
  }

  /** End the session at once. */
  record EndSession(SessionError why) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.endSession(this);
    }
  }

  /**
   * Give a claim back, since its session has ended. Report the end.
   *
   * @param withRecord whether its reader's record goes, too
   */
  record GiveBack(long mountEpoch, boolean withRecord) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.giveBack(this);
    }
  }

  /**
   * Give up whatever claims of this handle stand, and their readers' records: it has ended, and it
   * is not known what became of one of them. Report what came of it. This may go on after {@link
   * Over}.
   *
   * @param upTo the newest mount whose record goes
   */
  record GiveUp(long upTo) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.giveUp(this);
    }
  }

  /** Tell the user's requests: the session is over, and the volume will be mounted again. */
  record Unmounted(Interruption why) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.unmounted(this);
    }
  }

  /** Tell the user's requests: the next session is late. */
  record Delayed(Interruption why) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.delayed(this);
    }
  }

  /** Tell the user's requests: no session will follow, and the claim is being given back. */
  record Ending(Interruption why) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.ending(this);
    }
  }

  /**
   * Tell the user's requests: no session will follow, and the claim has been given back, if
   * ZooKeeper has answered in time.
   */
  record Over(Interruption why) implements MountEffect {
    @Override
    public void performBy(Handler handler) {
      handler.over(this);
    }
  }
}
