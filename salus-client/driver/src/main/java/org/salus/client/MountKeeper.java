package org.salus.client;

import java.util.concurrent.CompletableFuture;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionError;
import org.salus.host.zk.ClusterStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a volume mounted. Takes the writer's lease and mounts. Mounts again, under the next mount
 * epoch, after a session that ended for want of room, by a timeout, or with the loss of the lease.
 * Never mounts again after another writer, whose writes this volume's user knows nothing of. The
 * next session does not mount a volume that lacks what was acknowledged to the user, unless {@link
 * MountTools#acceptsLoss}.
 *
 * <p>The constructor, {@link #opened} and {@link #acquire} may be called on any thread; all else
 * must be called on the loop.
 */
final class MountKeeper implements SessionHost.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(MountKeeper.class);

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

    /** No session will follow, and the lease is being given back. */
    void ending(SalusException why);

    /** No session will follow, and the lease has been given back. */
    void over(SalusException why);
  }

  private final VolumeSpec spec;
  private final MountTools tools;
  private final Room room;
  private final Listener listener;
  private final CompletableFuture<Void> opened = new CompletableFuture<>();

  /** The running session; null between sessions. */
  private SessionHost current;

  /** The lease of the present session, or of the last one. */
  private WriterStore.Lease lease;

  /** The seq up to which the volume must be there when it is mounted again. */
  private long needed;

  private boolean mounted;
  private boolean closing;
  private boolean ending;
  private boolean abandoned;

  MountKeeper(VolumeSpec spec, MountTools tools, Room room, Listener listener) {
    this.spec = spec;
    this.tools = tools;
    this.room = room;
    this.listener = listener;
  }

  /** Completes when the volume is mounted for the first time; fails when it cannot be. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Takes the lease; blocks. */
  WriterStore.Lease acquire(boolean force) throws ClusterStoreException {
    return tools.store().acquire(force, () -> tools.loop().execute(this::leaseLost));
  }

  /** Mounts under this lease. */
  void mount(WriterStore.Lease next) {
    if (abandoned) {
      tools.blocking().execute(next::close);
      return;
    }
    lease = next;
    SessionHost session = new SessionHost(spec, next.mountEpoch(), needed, tools, this);
    session.start();
    current = session;
    if (!next.isHeld()) {
      current.loseLease();
    }
  }

  /**
   * Ends the session. The next mount finds out whether another writer took the lease or ZooKeeper's
   * session was lost.
   */
  private void leaseLost() {
    if (current != null) {
      current.loseLease();
    }
  }

  /** The volume is being closed: a mount that fails is not tried again later. */
  void close() {
    closing = true;
  }

  /**
   * Ends at once, mounted or not. Every request is answered before the lease is given back, since
   * ZooKeeper may be away for long.
   */
  void abandon() {
    abandoned = true;
    SalusException closed = SessionFailures.closed(spec.name());
    if (current != null) {
      current.end(SessionError.CLOSED);
    } else if (!ending) {
      listener.ending(closed);
      // A mount that is being tried again may take the lease: it is given back before the end.
      tools.blocking().execute(() -> tools.loop().execute(() -> over(closed)));
    }
    listener.delayed(closed);
  }

  @Override
  public void mounted(SessionHost session) {
    mounted = true;
    listener.mounted(session);
    opened.complete(null);
  }

  @Override
  public void ended(SessionHost session, SessionError why) {
    boolean wasMounted = mounted;
    boolean withLease = session.endedWithLease(why);
    SalusException reason =
        withLease ? SessionFailures.leaseLost(spec.name()) : session.exception(why);
    mounted = false;
    current = null;
    needed = Math.max(needed, tools.acceptsLoss() ? session.durable() : session.acknowledged());
    boolean again =
        opened.isDone()
            && (why == SessionError.NO_SPACE || why == SessionError.TIMED_OUT || withLease);
    if (!again) {
      giveBackAndEnd(lease, reason);
      return;
    }
    LOG.warn("{}; mounting it again", reason.getMessage());
    if (why == SessionError.NO_SPACE) {
      room.ranOut(tools.loop().nanoTime());
    }
    listener.unmounted(withLease ? null : reason);
    tools.blocking().execute(lease::close);
    if (wasMounted) {
      remount();
    } else {
      later(reason);
    }
  }

  private void giveBackAndEnd(WriterStore.Lease last, SalusException why) {
    ending = true;
    listener.ending(why);
    tools
        .blocking()
        .execute(
            () -> {
              last.close();
              tools.loop().execute(() -> over(why));
            });
  }

  private void over(SalusException why) {
    ending = true;
    listener.over(why);
    opened.completeExceptionally(why);
  }

  private void later(SalusException why) {
    listener.delayed(why);
    if (closing) {
      over(SessionFailures.closed(spec.name()));
      return;
    }
    tools.loop().schedule(room.nextPause(), this::remount);
  }

  private void remount() {
    if (abandoned) {
      return;
    }
    tools
        .blocking()
        .execute(
            () -> {
              try {
                WriterStore.Lease next = acquire(false);
                tools.loop().execute(() -> mountNext(next));
              } catch (ClusterStoreException.Busy taken) {
                tools.loop().execute(() -> taken(taken));
              } catch (ClusterStoreException.Missing deleted) {
                tools.loop().execute(() -> over(new SalusException.Fenced(deleted.getMessage())));
              } catch (ClusterStoreException failed) {
                tools
                    .loop()
                    .execute(
                        () -> later(new SalusException.Unavailable(failed.getMessage(), failed)));
              }
            });
  }

  /**
   * A writer has the lease. If it has this volume's last mount epoch, it is this client itself:
   * ZooKeeper has not yet ended its lost session.
   */
  private void taken(ClusterStoreException.Busy taken) {
    if (taken.writer().mountEpoch() == lease.mountEpoch()) {
      later(new SalusException.Unavailable(taken.getMessage(), taken));
    } else {
      over(new SalusException.Fenced(taken.getMessage()));
    }
  }

  private void mountNext(WriterStore.Lease next) {
    if (next.mountEpoch() == lease.mountEpoch() + 1) {
      mount(next);
    } else {
      giveBackAndEnd(
          next,
          new SalusException.Fenced(
              "volume "
                  + spec.name()
                  + " was mounted by another writer meanwhile; mount it again to go on"));
    }
  }
}
