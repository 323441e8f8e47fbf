package org.salus.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.salus.client.cluster.HandleNote;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.KeptMount;

/**
 * The choices for opening a volume. Immutable; each {@code with} method returns changed choices.
 *
 * @param force whether to take the volume over when another client has it mounted. What the other
 *     client writes after that fails and never becomes visible. The first write, and reads after
 *     it, may take up to 10 s longer
 * @param patience the longest time to wait while another client has the volume mounted. After a
 *     client was killed, this takes up to 20 s. Zero does not wait, and neither does an open of a
 *     volume that the same client has open
 * @param callbackExecutor where code that is chained to the volume's futures runs; null for the
 *     client's own pool, in which a call that blocks holds up nothing of the driver. With an
 *     executor that runs tasks in the calling thread, callbacks run on the volume's own thread.
 *     They must not block there
 * @param maxOutstandingBytes the most bytes of memory that this volume's requests may hold; 0 to
 *     share the client's bound, the setting {@code salus.client.outstanding.bytes}
 * @param requestTimeout the longest time that the volume waits for servers or for memory; zero for
 *     the setting {@code salus.client.request.timeout}. A mount takes at most as long
 * @param stopAtFailedWrite whether the first write, zeroing or flush that fails is the last thing
 *     that may happen to the volume, as a log wants. No change that is later in the order of the
 *     calls takes effect after one that failed and has none. One that was sent behind it can only
 *     take effect if that one did too: servers commit in order. So the volume is as after a prefix
 *     of the calls, whatever fails. Later calls fail at once with {@link SalusException.Stopped},
 *     and the volume ends by itself once what was sent before is answered. A change that its caller
 *     cancelled in time is as if it had never been called. A call that throws an exception is too
 * @param lastMount where the last mount is kept; null for nowhere. If one is kept, the open fails
 *     with {@link SalusException.Fenced} when another writer has had the volume since, with {@link
 *     SalusException.NotFound} when another volume has its name, and with {@link
 *     SalusException.Integrity} when the volume lacks what was acknowledged, or it is not known
 *     what was. One process at a time may have it: a later one ends an earlier one for good
 */
public record OpenOptions(
    boolean force,
    Duration patience,
    Executor callbackExecutor,
    long maxOutstandingBytes,
    Duration requestTimeout,
    boolean stopAtFailedWrite,
    LastMount lastMount) {
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(365);

  /** Takes nothing over, does not wait or stop, and uses the client's pool, bound and time. */
  public static final OpenOptions DEFAULT =
      new OpenOptions(false, Duration.ZERO, null, 0, Duration.ZERO, false, null);

  /**
   * @throws IllegalArgumentException when a time or the number of bytes is negative, or the request
   *     timeout is over 365 days
   */
  public OpenOptions {
    Objects.requireNonNull(patience, "patience");
    Objects.requireNonNull(requestTimeout, "requestTimeout");
    if (patience.isNegative()) {
      throw new IllegalArgumentException(
          "patience " + patience + ": use a positive time, or zero not to wait");
    }
    if (maxOutstandingBytes < 0) {
      throw new IllegalArgumentException(
          "most outstanding bytes "
              + maxOutstandingBytes
              + ": use a positive number, or 0 to share the client's bound");
    }
    if (requestTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "request timeout " + requestTimeout + ": use a positive time, or zero for the setting");
    }
    if (requestTimeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "request timeout " + requestTimeout + ": at most 365 days");
    }
  }

  /** Changes whether the volume is taken over. */
  public OpenOptions withForce(boolean takesOver) {
    return new OpenOptions(
        takesOver,
        patience,
        callbackExecutor,
        maxOutstandingBytes,
        requestTimeout,
        stopAtFailedWrite,
        lastMount);
  }

  /** Changes how long to wait for another client. */
  public OpenOptions withPatience(Duration longest) {
    return new OpenOptions(
        force,
        longest,
        callbackExecutor,
        maxOutstandingBytes,
        requestTimeout,
        stopAtFailedWrite,
        lastMount);
  }

  /** Changes where callbacks run. */
  public OpenOptions withCallbackExecutor(Executor executor) {
    return new OpenOptions(
        force,
        patience,
        executor,
        maxOutstandingBytes,
        requestTimeout,
        stopAtFailedWrite,
        lastMount);
  }

  /** Changes how much memory requests may hold. */
  public OpenOptions withMaxOutstandingBytes(long bytes) {
    return new OpenOptions(
        force, patience, callbackExecutor, bytes, requestTimeout, stopAtFailedWrite, lastMount);
  }

  /** Changes how long requests may take. */
  public OpenOptions withRequestTimeout(Duration longest) {
    return new OpenOptions(
        force,
        patience,
        callbackExecutor,
        maxOutstandingBytes,
        longest,
        stopAtFailedWrite,
        lastMount);
  }

  /** Changes whether the volume stops at the first change that fails. */
  public OpenOptions withStopAtFailedWrite(boolean stops) {
    return new OpenOptions(
        force, patience, callbackExecutor, maxOutstandingBytes, requestTimeout, stops, lastMount);
  }

  /**
   * The note of a handle; see {@link UserNote#of}.
   *
   * @param alone by whom the volume is claimed if nothing is kept
   */
  HandleNote note(VolumeSpec spec, Claimant alone) {
    return lastMount == null
        ? HandleNote.none(KeptMount.none(alone))
        : UserNote.of(lastMount, spec);
  }

  /** Changes where the last mount is kept. */
  public OpenOptions withLastMount(LastMount kept) {
    return new OpenOptions(
        force,
        patience,
        callbackExecutor,
        maxOutstandingBytes,
        requestTimeout,
        stopAtFailedWrite,
        kept);
  }
}
