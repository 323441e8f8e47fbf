package org.salus.datanode.hdfs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the answers to changes of volumes' files that are not allowed. Counts each, and logs one in
 * ten seconds, so that nobody can fill the log. Thread-safe.
 */
final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final AtomicLong LOGGED = new AtomicLong(System.nanoTime() - PERIOD_NANOS);

  private Refusals() {}

  /**
   * The answer to the call that this thread serves.
   *
   * @param why names the change and the file
   */
  static AccessControlException refuse(String why) {
    GuardMetrics.refused();
    long now = System.nanoTime();
    long last = LOGGED.get();
    if (now - last >= PERIOD_NANOS && LOGGED.compareAndSet(last, now)) {
      LOG.warn(
          "{} at {}: {}; {} changes refused since the start",
          Server.getRemoteUser(),
          Server.getRemoteAddress(),
          why,
          GuardMetrics.refusals());
    }
    return new AccessControlException(why);
  }
}
