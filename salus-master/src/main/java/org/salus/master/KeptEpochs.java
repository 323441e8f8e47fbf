package org.salus.master;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.Versioned;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the NameNode knows of the regions' epochs. The keeper never waits for it: a read runs on
 * another thread, and the keeper is woken when it is done. Thread-safe.
 */
final class KeptEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(KeptEpochs.class);

  /** After this time it is read anew, unless the region's record says that all is well. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Reads from HDFS, and may block. */
  interface Reader {
    /** Returns what the NameNode knows of a region, or null while it cannot be asked. */
    EpochRegister read(VolumeSpec spec, int region);
  }

  /** What is known of one region, and since when. */
  private static final class Region {
    /** The record that was looked at, or null before the first look. */
    Optional<Versioned<RrsRecord>> record;

    /** What was read after the record was seen, or null before. */
    EpochRegister register;

    /** Whether it must be read at once. */
    boolean due;

    boolean reading;
    long begun;
  }

  private final Reader reader;
  private final Executor reads;
  private final Runnable wake;
  private final Map<RegionId, Region> regions = new HashMap<>();

  /**
   * @param reads runs the reads, one after the other
   * @param wake runs after each read
   */
  KeptEpochs(Reader reader, Executor reads, Runnable wake) {
    this.reader = reader;
    this.reads = reads;
    this.wake = wake;
  }

  /**
   * Returns what the NameNode knows of a region's epochs. It was read after the region had this
   * record. Null while it is unknown.
   */
  synchronized EpochRegister of(VolumeSpec spec, int index, Optional<Versioned<RrsRecord>> record) {
    Region r = regions.computeIfAbsent(spec.regionId(index), id -> new Region());
    if (!record.equals(r.record)) {
      r.record = record;
      r.register = null;
      r.due = true;
    }
    boolean isWell =
        r.register != null
            && record.isPresent()
            && record.get().value().state() == RrsRecord.State.SERVING
            && record.get().value().link().equals(r.register.served());
    boolean isOld = System.nanoTime() - r.begun > FRESH_NANOS && !isWell;
    if (!r.reading && (r.due || isOld)) {
      read(spec, index, r);
    }
    return r.register;
  }

  private void read(VolumeSpec spec, int index, Region r) {
    Optional<Versioned<RrsRecord>> record = r.record;
    r.reading = true;
    r.due = false;
    r.begun = System.nanoTime();
    try {
      reads.execute(
          () -> {
            EpochRegister read = null;
            try {
              read = reader.read(spec, index);
            } finally {
              take(r, record, read);
            }
          });
    } catch (RejectedExecutionException stopped) {
      LOG.debug("the master has stopped");
    }
  }

  private void take(Region r, Optional<Versioned<RrsRecord>> record, EpochRegister read) {
    synchronized (this) {
      r.reading = false;
      if (record.equals(r.record) && read != null) {
        r.register = read;
      }
    }
    wake.run();
  }
}
