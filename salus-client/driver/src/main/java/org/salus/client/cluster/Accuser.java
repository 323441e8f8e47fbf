package org.salus.client.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the session's signed accusations to the master (paper §4.2.2), at most one per region in 2
 * s. For one thread.
 */
public final class Accuser {
  private static final Logger LOG = LoggerFactory.getLogger(Accuser.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final VolumeSpec spec;
  private final long mountEpoch;
  private final Signer signer;
  private final WriterStore store;
  private final Executor blocking;

  /** The time of each region's last accusation, in nanoseconds of {@link System#nanoTime}. */
  private final Map<Integer, Long> told = new HashMap<>();

  public Accuser(
      VolumeSpec spec, long mountEpoch, Signer signer, WriterStore store, Executor blocking) {
    this.spec = spec;
    this.mountEpoch = mountEpoch;
    this.signer = signer;
    this.store = store;
    this.blocking = blocking;
  }

  /**
   * Accuses a member of a wrong answer. Other reports, where no right answer proves it wrong, are
   * not sent.
   */
  public void tell(SessionEffect.Report r) {
    if (r.wrong()) {
      tell(r.region(), r.epoch(), r.lane(), Cause.WRONG_ANSWER, r.what());
    }
  }

  /** Complains that nothing comes through a member. */
  public void tell(Stalled s) {
    tell(s.region(), s.epoch(), s.lane(), Cause.STALLED, s.what());
  }

  /** Complains that members answer a mount differently. */
  public void tell(SessionEffect.Disagree d) {
    tell(d.region(), d.epoch(), d.lane(), Cause.DISAGREED, d.what());
  }

  private void tell(int region, int epoch, int lane, Cause cause, String what) {
    long now = System.nanoTime();
    Long before = told.get(region);
    if (before != null && now - before < PAUSE_NANOS) {
      return;
    }
    told.put(region, now);
    Accusation said = new Accusation(spec.id(), region, epoch, lane, mountEpoch, cause, what);
    AccusationRecord record = new AccusationRecord(said, said.sign(signer));
    try {
      blocking.execute(
          () -> {
            try {
              store.accuse(region, record);
            } catch (ClusterStoreException failed) {
              LOG.warn(
                  "cannot tell the master about a member of region {} of volume {}: {}",
                  region,
                  spec.name(),
                  failed.getMessage());
            }
          });
    } catch (RejectedExecutionException closed) {
      LOG.debug("the client is closed");
    }
  }
}
