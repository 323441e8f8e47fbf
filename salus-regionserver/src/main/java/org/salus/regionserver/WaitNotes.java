package org.salus.regionserver;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.salus.host.zk.WaitsRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes in ZooKeeper where requests wait, or have lately waited long, so that the page and {@code
 * salus volume info} tell it. A server where nothing is slow writes nothing.
 */
final class WaitNotes {
  private static final Logger LOG = LoggerFactory.getLogger(WaitNotes.class);

  /** The time between two looks at what is to be noted. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  /** After this time a note is written again, because it ends with a session of ZooKeeper. */
  static final Duration AGAIN = Duration.ofMinutes(1);

  private final Supplier<List<WaitsRecord.Waits>> waits;
  private final Store store;
  private final Executor writer;
  private final LongSupplier nanos;
  private final AtomicBoolean writing = new AtomicBoolean();

  /** The last note; null if it is not known whether it was written. Only the writer uses it. */
  private List<WaitsRecord.Waits> noted = List.of();

  private long notedAt;

  /** Takes the note in place of the last one. */
  interface Store {
    void note(WaitsRecord record) throws IOException;
  }

  /**
   * @param waits gives what is to be noted
   * @param writer runs writes, which may block
   * @param nanos a clock as {@link System#nanoTime}
   */
  WaitNotes(
      Supplier<List<WaitsRecord.Waits>> waits, Store store, Executor writer, LongSupplier nanos) {
    this.waits = waits;
    this.store = store;
    this.writer = writer;
    this.nanos = nanos;
  }

  /**
   * Notes what waits now, if that has changed, unless the last note is still being written. Does
   * not block.
   */
  void write() {
    if (writing.compareAndSet(false, true)) {
      try {
        writer.execute(this::writeNow);
      } catch (RejectedExecutionException ended) {
        LOG.debug("the server ends", ended);
      }
    }
  }

  private void writeNow() {
    try {
      WaitsRecord now = new WaitsRecord(waits.get());
      boolean isOld = nanos.getAsLong() - notedAt >= AGAIN.toNanos();
      if (!now.waits().equals(noted) || isOld && !noted.isEmpty()) {
        noted = null;
        store.note(now);
        noted = now.waits();
        notedAt = nanos.getAsLong();
      }
    } catch (IOException failed) {
      LOG.warn("cannot note which requests wait: {}", failed.getMessage());
    } finally {
      writing.set(false);
    }
  }
}
