package org.salus.client;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The choices for opening a volume. Immutable; each {@code with} method returns changed choices.
 *
 * @param force whether to take the volume over when another client has it mounted. What the other
 *     client writes after that fails and never becomes visible
 * @param patience the longest time to wait while another client has the volume mounted. After a
 *     client was killed, this takes up to 20 s. Zero does not wait
 * @param callbackExecutor where code that is chained to the volume's futures runs; null for the
 *     client's own pool, in which a call that blocks holds up nothing of the driver. With an
 *     executor that runs tasks in the calling thread, callbacks run on the volume's own thread.
 *     They must not block there
 * @param maxOutstandingBytes the most bytes of memory that this volume's requests may hold; 0 to
 *     share the client's bound, the setting {@code salus.client.outstanding.bytes}
 */
public record OpenOptions(
    boolean force, Duration patience, Executor callbackExecutor, long maxOutstandingBytes) {
  /** Takes nothing over, does not wait, and uses the client's pool and bound. */
  public static final OpenOptions DEFAULT = new OpenOptions(false, Duration.ZERO, null, 0);

  /**
   * @throws IllegalArgumentException when the time or the number of bytes is negative
   */
  public OpenOptions {
    if (patience.isNegative() || maxOutstandingBytes < 0) {
      throw new IllegalArgumentException(
          "patience " + patience + ", " + maxOutstandingBytes + " bytes: neither may be negative");
    }
  }

  /** Changes whether the volume is taken over. */
  public OpenOptions withForce(boolean takesOver) {
    return new OpenOptions(takesOver, patience, callbackExecutor, maxOutstandingBytes);
  }

  /** Changes how long to wait for another client. */
  public OpenOptions withPatience(Duration longest) {
    return new OpenOptions(force, longest, callbackExecutor, maxOutstandingBytes);
  }

  /** Changes where callbacks run. */
  public OpenOptions withCallbackExecutor(Executor executor) {
    return new OpenOptions(force, patience, executor, maxOutstandingBytes);
  }

  /** Changes how much memory requests may hold. */
  public OpenOptions withMaxOutstandingBytes(long bytes) {
    return new OpenOptions(force, patience, callbackExecutor, bytes);
  }
}
