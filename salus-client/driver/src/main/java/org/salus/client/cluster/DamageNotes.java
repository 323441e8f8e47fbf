package org.salus.client.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes in the cluster's records which blocks of a volume no member has. For one thread. */
public final class DamageNotes {
  private static final Logger LOG = LoggerFactory.getLogger(DamageNotes.class);

  /** Most blocks of a region that are noted by number; of the others only the count is noted. */
  private static final int NAMED = 16;

  /** The lost blocks of one region; {@code at} is the time of the last finding in ms since 1970. */
  private static final class Lost {
    final TreeSet<Long> blocks = new TreeSet<>();
    long at;
    String what;
  }

  private final VolumeSpec spec;
  private final WriterStore store;
  private final Executor blocking;
  private final Map<Integer, Lost> byRegion = new TreeMap<>();

  /** The record to write next; null when none waits. */
  private final AtomicReference<DamageRecord> next = new AtomicReference<>();

  public DamageNotes(VolumeSpec spec, WriterStore store, Executor blocking) {
    this.spec = spec;
    this.store = store;
    this.blocking = blocking;
  }

  /** Drops what an earlier session noted: a read finds it again. */
  public void begin() {
    save();
  }

  public void add(SessionEffect.Unreadable u) {
    LOG.error(
        "volume {} region {}: no member has the blocks {} as the volume tree says: {}",
        spec.name(),
        u.region(),
        u.blocks(),
        u.what());
    Lost lost = byRegion.computeIfAbsent(u.region(), r -> new Lost());
    lost.blocks.addAll(u.blocks());
    lost.at = System.currentTimeMillis();
    lost.what = u.what();
    save();
  }

  public void remove(SessionEffect.Readable r) {
    LOG.info("volume {}: the blocks {} are there again, or written anew", spec.name(), r.blocks());
    byRegion.values().forEach(lost -> r.blocks().forEach(lost.blocks::remove));
    byRegion.values().removeIf(lost -> lost.blocks.isEmpty());
    save();
  }

  private void save() {
    List<DamageRecord.Damage> regions = new ArrayList<>();
    byRegion.forEach(
        (region, lost) ->
            regions.add(
                new DamageRecord.Damage(
                    region,
                    lost.at,
                    lost.blocks.size(),
                    lost.blocks.stream().limit(NAMED).toList(),
                    lost.what)));
    if (next.getAndSet(new DamageRecord(spec.id(), regions)) == null) {
      try {
        blocking.execute(this::write);
      } catch (RejectedExecutionException closed) {
        LOG.debug("the client is closed");
      }
    }
  }

  private void write() {
    try {
      store.damage(next.getAndSet(null));
    } catch (ClusterStoreException failed) {
      LOG.warn(
          "cannot note which blocks of volume {} no member has: {}",
          spec.name(),
          failed.getMessage());
    }
  }
}
