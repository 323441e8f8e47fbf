package org.salus.host;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes bugs: broken invariants and exceptions that no code expected. Expected failures (a peer
 * gone, a checksum wrong, a member fenced) never come here. Implementations are thread-safe and
 * return quickly.
 */
@FunctionalInterface
public interface FaultHandler {
  /** Reports that {@code bug} was thrown while doing {@code what}. */
  void onFault(String what, Throwable bug);

  /**
   * A handler that logs every bug and runs {@code stop} once, at the first one. It runs {@code
   * stop} on a thread of its own, so {@code stop} may wait for the loop that met the bug.
   */
  static FaultHandler stopping(String component, Runnable stop) {
    Logger log = LoggerFactory.getLogger(FaultHandler.class);
    AtomicBoolean stopped = new AtomicBoolean();
    return (what, bug) -> {
      log.error(
          "BUG in {} while {}: stopping it, since going on could damage data",
          component,
          what,
          bug);
      if (stopped.compareAndSet(false, true)) {
        DaemonThreads.start("salus-fault-" + component, stop);
      }
    };
  }
}
