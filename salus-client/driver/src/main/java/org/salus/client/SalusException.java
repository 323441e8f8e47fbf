package org.salus.client;

import java.time.Instant;

/**
 * A failure of a call on a volume or cluster; each kind has a type. The message says what to do.
 */
public sealed class SalusException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected SalusException(String message, Throwable cause) {
    super(message, cause);
  }

  /** No member returned data that matches the volume tree, so the read is refused (paper §4.3). */
  public static final class Integrity extends SalusException {
    private static final long serialVersionUID = 1L;

    public Integrity(String message) {
      super(message, null);
    }
  }

  /**
   * A newer mount has taken the volume. Writes called after that never become visible; writes under
   * way then may be visible.
   */
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

  /** Another client has the volume mounted. */
  public static final class Busy extends SalusException {
    private static final long serialVersionUID = 1L;
    private final String holder;
    private final transient Instant since;

    public Busy(String volume, String holder, Instant since) {
      super(
          "volume "
              + volume
              + " is mounted by "
              + holder
              + " since "
              + since
              + "; close it there, or open it with force to take it over",
          null);
      this.holder = holder;
      this.since = since;
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
   * bytes, or a buffer that cannot be written any more. Other requests go on. A write that fails so
   * has no effect, unless the message says how many bytes of a large one were written.
   */
  public static final class Failed extends SalusException {
    private static final long serialVersionUID = 1L;

    public Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The driver has met a bug, or its process had no memory left, and has ended this volume's
   * handle. Open the volume again. What became of writes under way is not known. Other volumes go
   * on.
   */
  public static final class Broken extends SalusException {
    private static final long serialVersionUID = 1L;

    public Broken(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
