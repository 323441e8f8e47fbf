package org.salus.regionserver;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

  /** The time between two notes. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  private final Supplier<List<WaitsRecord.Waits>> waits;
  private final Store store;
  private final Executor writer;
  private final AtomicBoolean writing = new AtomicBoolean();

  /** Whether there may be a note. Only the writer uses it. */
  private boolean noted;

  /** Takes the note in place of the last one. */
  interface Store {
    void note(WaitsRecord record) throws IOException;
  }

  /**
   * @param waits gives what is to be noted
   * @param writer runs writes, which may block
   */
  WaitNotes(Supplier<List<WaitsRecord.Waits>> waits, Store store, Executor writer) {
    this.waits = waits;
    this.store = store;
    this.writer = writer;
  }

  /** Notes what waits now, unless the last note is still being written. Does not block. */
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
      List<WaitsRecord.Waits> now = waits.get();
      if (!now.isEmpty() || noted) {
        noted = true;
        store.note(new WaitsRecord(now));
        noted = !now.isEmpty();
      }
    } catch (IOException failed) {
      LOG.warn("cannot note which requests wait: {}", failed.getMessage());
    } finally {
      writing.set(false);
    }
  }
}
