package org.salus.regionserver.scrub;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import org.salus.regionserver.hdfs.ReplicaScrub;

/**
 * Limits the rate of replica checks, counts the bytes that they read, and ends the check under way
 * when the scrubber stops. One thread reads; any thread may call {@link #end} and {@link
 * #hasEnded}.
 */
public final class ScrubPace implements ReplicaScrub.Pace {
  private final Throttle throttle;
  private volatile boolean ended;
  private long read;

  /**
   * @param rate the limit in bytes a second, or 0 for none
   */
  public ScrubPace(long rate) {
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

  /** The number of bytes read so far. */
  long read() {
    return read;
  }

  /** Makes the check that is under way fail at its next read. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }
}
