package org.salus.client;

import java.time.Instant;

/**
 * A failure of a call on a volume or cluster; each kind has a type. The message says what to do.
 *
 * <p>A write, zeroing or flush that fails with {@link UnknownOutcome} may have taken effect. One
 * that fails with any other kind has not, and never will.
 */
public sealed class SalusException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected SalusException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * A change was sent, and no acknowledgement came: it may have taken effect, whole or in part.
   * {@link #reason} says what went wrong. Whoever reads the bytes, with this handle or after
   * opening the volume again, sees whether it did. That is then settled.
   *
   * <p>It is a type of its own, since a caller must do something else: a log reports a commit that
   * failed in any other way as not made, and may try it again. After this failure it must read
   * first. A mark on every kind of failure would be easy to overlook.
   */
  public static final class UnknownOutcome extends SalusException {
    private static final long serialVersionUID = 1L;
    private final SalusException reason;

    public UnknownOutcome(SalusException reason) {
      super(reason.getMessage() + " (the change may have taken effect)", reason);
      this.reason = reason;
    }

    /** What went wrong; of another type. */
    public SalusException reason() {
      return reason;
    }
  }

  /**
   * An earlier change of this handle failed, and the volume was opened to stop there ({@link
   * OpenOptions#stopAtFailedWrite}). The cause is that failure. This request has no effect. Open
   * the volume again to go on.
   */
  public static final class Stopped extends SalusException {
    private static final long serialVersionUID = 1L;

    public Stopped(String message, SalusException failure) {
      super(message, failure);
    }
  }

  /** No member returned data that matches the volume tree, so the read is refused (paper §4.3). */
  public static final class Integrity extends SalusException {
    private static final long serialVersionUID = 1L;

    public Integrity(String message) {
      super(message, null);
    }
  }

  /** A newer mount has taken the volume. Writes called after that never become visible. */
  public static final class Fenced extends SalusException {
    private static final long serialVersionUID = 1L;

    public Fenced(String message) {
      super(message, null);
    }
  }

  /** The cluster did not answer within the configured time. */
  public static final class TimedOut extends SalusException {
    private static final long serialVersionUID = 1L;

    public TimedOut(String message) {
      super(message, null);
    }
  }

  /** No such volume. */
  public static final class NotFound extends SalusException {
    private static final long serialVersionUID = 1L;

    public NotFound(String message) {
      super(message, null);
    }
  }

  /** The volume exists already. */
  public static final class AlreadyExists extends SalusException {
    private static final long serialVersionUID = 1L;

    public AlreadyExists(String message) {
      super(message, null);
    }
  }

  /** Another client has the volume mounted, or another handle of this client. */
  public static final class Busy extends SalusException {
    private static final long serialVersionUID = 1L;
    private final String holder;
    private final transient Instant since;
    private final boolean inThisClient;

    public Busy(String volume, String holder, Instant since) {
      this(
          mounted(volume, holder, since)
              + "; close it there, or open it with force to take it over",
          holder,
          since,
          false);
    }

    private Busy(String message, String holder, Instant since, boolean inThisClient) {
      super(message, null);
      this.holder = holder;
      this.since = since;
      this.inThisClient = inThisClient;
    }

    private static String mounted(String volume, String holder, Instant since) {
      return "volume " + volume + " is mounted by " + holder + " since " + since;
    }

    /** For a volume that is to be deleted. */
    static Busy toDelete(String volume, String holder, Instant since) {
      return new Busy(
          mounted(volume, holder, since) + "; close it there, or delete it with force",
          holder,
          since,
          false);
    }

    /** For a volume of which this client has a handle in use. */
    static Busy inThisClient(String volume, String holder, Instant since) {
      return new Busy(
          "volume "
              + volume
              + " is open in this client since "
              + since
              + "; use that handle, or close it first",
          holder,
          since,
          true);
    }

    /** Whether the writer is another handle of the same client, which no patience ends. */
    boolean inThisClient() {
      return inThisClient;
    }

    /** The writer that has the volume: its user, machine and process. */
    public String holder() {
      return holder;
    }

    /** The time at which the writer took the volume. */
    public Instant since() {
      return since;
    }
  }

  /** The DataNodes have no room. Acknowledged writes stay; writes work again when there is room. */
  public static final class NoSpace extends SalusException {
    private static final long serialVersionUID = 1L;

    public NoSpace(String message) {
      super(message, null);
    }
  }

  /** The volume was closed. */
  public static final class Closed extends SalusException {
    private static final long serialVersionUID = 1L;

    public Closed(String message) {
      super(message, null);
    }
  }

  /**
   * The servers have another secret, or a volume or the servers are of another version of Salus.
   */
  public static final class Incompatible extends SalusException {
    private static final long serialVersionUID = 1L;

    public Incompatible(String message) {
      super(message, null);
    }
  }

  /** A file or server that a volume needs is missing. */
  public static final class Incomplete extends SalusException {
    private static final long serialVersionUID = 1L;

    public Incomplete(String message) {
      super(message, null);
    }
  }

  /** The cluster cannot be reached or used: no ZooKeeper, no master, no serving region. */
  public static final class Unavailable extends SalusException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Other requests hold the memory that requests may hold together, and the call could not wait for
   * it, or not longer. The request was not begun: it has no effect.
   */
  public static final class Overloaded extends SalusException {
    private static final long serialVersionUID = 1L;

    public Overloaded(String message) {
      super(message, null);
    }
  }

  /**
   * This request could not be performed for a reason that lies in this process: no memory for its
   * bytes, or a buffer that cannot be written any more. Other requests go on.
   */
  public static final class Failed extends SalusException {
    private static final long serialVersionUID = 1L;

    public Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The driver has met a bug, or its process had no memory left, and has ended this volume's
   * handle. Open the volume again. Other volumes go on.
   */
  public static final class Broken extends SalusException {
    private static final long serialVersionUID = 1L;

    public Broken(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
