package org.salus.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionError;
import org.salus.core.session.SessionConfig;
import org.salus.host.netty.Loop;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterClaim;
import org.salus.host.zk.WriterLease;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a volume mounted: takes the writer's lease, mounts, and mounts again, under the next mount
 * epoch, after a session that ended for want of room, of an answer, or of its lease; never after
 * another writer, for whoever uses this volume knows nothing of what that one wrote. All but the
 * constructor is to be called on the loop.
 */
final class Mounter {
  private static final Logger LOG = LoggerFactory.getLogger(Mounter.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** What mounting takes. */
  record Tools(
      ClusterStore store,
      Nodes nodes,
      Loop loop,
      Executor blocking,
      SessionConfig session,
      byte[] secret,
      String holder,
      String service) {}

  private final VolumeSpec spec;
  private final Tools tools;
  private final RemoteVolume volume;
  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private Duration pause = FIRST_PAUSE;
  private SalusException failure;

  /** Until when changes are refused after there was no room; nanoseconds, 0 when there is room. */
  private long fullUntil;

  private Mount current;

  /** Of the newest lease. */
  private long mountEpoch;

  private boolean isLeaseLost;
  private boolean mounted;
  private boolean abandoned;

  Mounter(VolumeSpec spec, Tools tools, RemoteVolume volume) {
    this.spec = spec;
    this.tools = tools;
    this.volume = volume;
  }

  /** Completes when the volume is mounted for the first time, or cannot be. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Mounts under this lease. */
  void mount(WriterLease lease) {
    if (abandoned) {
      tools.blocking.execute(lease::close);
      return;
    }
    mountEpoch = lease.mountEpoch();
    isLeaseLost = !lease.isHeld();
    Mount[] made = new Mount[1];
    made[0] =
        new Mount(
            spec,
            lease,
            new Signer(tools.secret),
            tools.session,
            tools.store,
            tools.nodes,
            tools.loop,
            tools.blocking,
            () -> {
              mounted = true;
              volume.mounted(made[0]);
              opened.complete(null);
            },
            why -> ended(lease, why));
    current = made[0];
    if (isLeaseLost) {
      current.end(SessionError.FENCED);
    }
  }

  /** The lease was taken over, or lost with ZooKeeper's session: who mounts again will see. */
  void leaseLost() {
    isLeaseLost = true;
    if (current != null) {
      current.end(SessionError.FENCED);
    }
  }

  /** Whether a session ended so with its lease: then nobody need have taken the volume. */
  boolean endedWithLease(SessionError why) {
    return why == SessionError.FENCED && isLeaseLost;
  }

  /** Nobody wants the volume any more. */
  void abandon() {
    abandoned = true;
    if (current != null) {
      current.end(SessionError.CLOSED);
    } else if (failure == null) {
      // Behind a mount that is being tried again, whose lease is to be given back.
      tools.blocking.execute(() -> tools.loop.execute(() -> over(exception(SessionError.CLOSED))));
    }
  }

  /** No session comes any more. */
  private void over(SalusException why) {
    failure = why;
    volume.over(why);
    opened.completeExceptionally(why);
  }

  private void ended(WriterLease lease, SessionError why) {
    boolean wasMounted = mounted;
    boolean withLease = endedWithLease(why);
    SalusException reason =
        withLease
            ? new SalusException.Unavailable(
                "volume " + spec.name() + ": the writer's lease is lost", null)
            : exception(why);
    mounted = false;
    current = null;
    boolean again =
        opened.isDone()
            && (why == SessionError.NO_SPACE || why == SessionError.TIMED_OUT || withLease);
    if (!again) {
      failure = reason;
      tools.blocking.execute(
          () -> {
            lease.close();
            tools.loop.execute(() -> over(reason));
          });
      return;
    }
    LOG.warn("{}; mounting it again", reason.getMessage());
    if (why == SessionError.NO_SPACE) {
      fullUntil = System.nanoTime() + pause.toNanos();
      lengthenPause();
    }
    volume.unmounted(withLease ? null : reason);
    tools.blocking.execute(lease::close);
    if (wasMounted) {
      remount();
    } else {
      later(reason);
    }
  }

  private void later(SalusException why) {
    volume.failWaiting(why);
    if (volume.closing()) {
      volume.over(why);
      return;
    }
    tools.loop.schedule(pause, this::remount);
    lengthenPause();
  }

  private void lengthenPause() {
    pause =
        pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
  }

  private void remount() {
    if (abandoned) {
      return;
    }
    tools.blocking.execute(
        () -> {
          try {
            WriterLease lease = acquire(false);
            tools.loop.execute(() -> mountNext(lease));
          } catch (ClusterStoreException.Busy taken) {
            tools.loop.execute(() -> taken(taken));
          } catch (ClusterStoreException.Missing deleted) {
            tools.loop.execute(() -> over(new SalusException.Fenced(deleted.getMessage())));
          } catch (ClusterStoreException failed) {
            tools.loop.execute(
                () -> later(new SalusException.Unavailable(failed.getMessage(), failed)));
          }
        });
  }

  /**
   * By another writer, or still by the own ZooKeeper session that is lost, until that ends there
   * too.
   */
  private void taken(ClusterStoreException.Busy taken) {
    if (taken.writer().mountEpoch() == mountEpoch) {
      later(new SalusException.Unavailable(taken.getMessage(), taken));
    } else {
      over(new SalusException.Fenced(taken.getMessage()));
    }
  }

  private void mountNext(WriterLease lease) {
    if (lease.mountEpoch() == mountEpoch + 1) {
      mount(lease);
    } else {
      tools.blocking.execute(
          () -> {
            lease.close();
            tools.loop.execute(
                () ->
                    over(
                        new SalusException.Fenced(
                            "volume "
                                + spec.name()
                                + " was mounted by another writer meanwhile; mount it again to go on")));
          });
    }
  }

  /** Takes the lease; blocks. */
  WriterLease acquire(boolean force) throws ClusterStoreException {
    return tools.store.acquireWriter(
        spec.name(),
        new WriterClaim(tools.holder, tools.service, force),
        () -> tools.loop.execute(this::leaseLost));
  }

  /** Why a request cannot be taken now, or null. */
  SalusException refuses(boolean changes) {
    if (failure != null) {
      return failure;
    }
    return changes && fullUntil != 0 && System.nanoTime() - fullUntil < 0
        ? exception(SessionError.NO_SPACE)
        : null;
  }

  /** A change was acknowledged: there is room. */
  void hasRoom() {
    if (fullUntil != 0) {
      fullUntil = 0;
      pause = FIRST_PAUSE;
    }
  }

  /** What a user sees of a session's error. */
  SalusException exception(SessionError why) {
    String name = "volume " + spec.name();
    return switch (why) {
      case FENCED ->
          new SalusException.Fenced(
              name + " was taken over by another writer; mount it again to go on");
      case NO_SPACE ->
          new SalusException.NoSpace(
              name
                  + ": the DataNodes have no room for another log segment; free or add disk space");
      case INTEGRITY ->
          (current == null ? new Trouble() : current.trouble()).exception(spec.name());
      case TIMED_OUT ->
          new SalusException.TimedOut(
              name
                  + ": no answer within "
                  + TimeUnit.NANOSECONDS.toSeconds(tools.session.requestTimeoutNanos())
                  + " s (salus.client.request.timeout)"
                  + (current == null ? "" : ": " + current.waitsFor()));
      case CLOSED -> new SalusException.Closed(name + " is closed");
    };
  }
}
