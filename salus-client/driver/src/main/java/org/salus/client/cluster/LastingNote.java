package org.salus.client.cluster;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.RetryPause;
import org.salus.host.zk.ClusterStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One note in the cluster's records, which is written again until ZooKeeper has taken it, or the
 * client is closed. To be used on the loop.
 */
public final class LastingNote {
  private static final Logger LOG = LoggerFactory.getLogger(LastingNote.class);

  /** Writes the note; blocks. */
  @FunctionalInterface
  public interface Write {
    void run() throws ClusterStoreException;
  }

  private final MountTools tools;
  private final String what;
  private final Write write;
  private final BooleanSupplier isWithdrawn;
  private final Runnable then;
  private final RetryPause pauses = RetryPause.ofNotes();

  /**
   * @param what is noted, in words
   * @param isWithdrawn whether it is not true any more; asked on the loop
   * @param then what to do on the loop once ZooKeeper has taken the note
   */
  public LastingNote(
      MountTools tools, String what, Write write, BooleanSupplier isWithdrawn, Runnable then) {
    this.tools = tools;
    this.what = what;
    this.write = write;
    this.isWithdrawn = isWithdrawn;
    this.then = then;
  }

  /** Begins to write the note. */
  public void begin() {
    try {
      tools.blocking().execute(this::tryOnce);
    } catch (RejectedExecutionException closed) {
      LOG.debug("the client is closed, and does not note that {}", what, closed);
    }
  }

  private void tryOnce() {
    try {
      write.run();
    } catch (ClusterStoreException | RuntimeException | Error failed) { // or nobody tries again
      onLoop(() -> later(failed));
      return;
    }
    onLoop(then);
  }

  private void later(Throwable failed) {
    Duration pause = Duration.ofNanos(pauses.next());
    LOG.warn(
        "will try again in {} s to note that {}: {}", pause.toSeconds(), what, failed.toString());
    tools.loop().schedule(pause, this::again);
  }

  private void again() {
    if (LossRules.PAPER.isWrittenAgain(isWithdrawn.getAsBoolean())) {
      begin();
    }
  }

  /** ZooKeeper may answer when the client is closed, and nobody waits for that. */
  private void onLoop(Runnable next) {
    try {
      tools.loop().execute(next);
    } catch (RejectedExecutionException closed) {
      LOG.debug("the client was closed while it noted that {}", what, closed);
    }
  }
}
