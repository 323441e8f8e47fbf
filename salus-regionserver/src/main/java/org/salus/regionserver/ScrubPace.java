package org.salus.regionserver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import org.salus.regionserver.hdfs.ReplicaScrub;

/**
 * Holds checks of replicas back to a rate, counts what they read, and cuts one short at the end.
 * For one thread that reads; any thread may end it.
 */
final class ScrubPace implements ReplicaScrub.Pace {
  private final Throttle throttle;
  private volatile boolean ended;
  private long read;

  /**
   * @param rate bytes a second; 0: no limit
   */
  ScrubPace(long rate) {
    this.throttle = new Throttle(rate, System::nanoTime, LockSupport::parkNanos);
  }

  @Override
  public void take(int bytes) throws IOException {
    throttle.take(bytes);
    read += bytes;
    if (ended) {
      throw new InterruptedIOException("the scrubber stops");
    }
  }

  /** Bytes that were read so far. */
  long read() {
    return read;
  }

  /** A check that is under way fails with its next read. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }
}
