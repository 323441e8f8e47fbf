package org.salus.client;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.replacement.Cause;
import org.salus.core.session.Accusation;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the master, signed, which members answered wrongly; of one region no more than one in a
 * while. For one thread.
 */
final class Accuser {
  private static final Logger LOG = LoggerFactory.getLogger(Accuser.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final VolumeSpec spec;
  private final long mountEpoch;
  private final Signer signer;
  private final WriterStore store;
  private final Executor blocking;

  /** When a region was last told of, in nanoseconds. */
  private final Map<Integer, Long> told = new HashMap<>();

  Accuser(VolumeSpec spec, long mountEpoch, Signer signer, WriterStore store, Executor blocking) {
    this.spec = spec;
    this.mountEpoch = mountEpoch;
    this.signer = signer;
    this.store = store;
    this.blocking = blocking;
  }

  /** Only a wrong answer is told, and only when another member has answered rightly. */
  void tell(SessionEffect.Report r) {
    if (r.wrong()) {
      tell(r.region(), r.epoch(), r.lane(), Cause.WRONG_ANSWER, r.what());
    }
  }

  /** Nothing comes through a member. */
  void tell(Stalled s) {
    tell(s.region(), s.epoch(), s.lane(), Cause.STALLED, s.what());
  }

  /** Members answer a mount differently. */
  void tell(SessionEffect.Disagree d) {
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
                  "the master does not hear of a member of region {} of volume {}: {}",
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
