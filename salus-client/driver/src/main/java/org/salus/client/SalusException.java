package org.salus.client;

import java.time.Instant;

/** What can go wrong with a volume, each kind a type of its own. The message says what to do. */
public sealed class SalusException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected SalusException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * No member returned data that matches the volume tree: the store refuses rather than lies (P8).
   */
  public static final class Integrity extends SalusException {
    private static final long serialVersionUID = 1L;

    public Integrity(String message) {
      super(message, null);
    }
  }

  /**
   * A newer mount has taken the volume; what was called after that never becomes visible, what was
   * under way may have.
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

  /** The volume is mounted for writing by somebody else. */
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
              + "; unmount it there, or take it over with --force",
          null);
      this.holder = holder;
      this.since = since;
    }

    /** Who holds the volume: host, process and program. */
    public String holder() {
      return holder;
    }

    /** Since when. */
    public Instant since() {
      return since;
    }
  }

  /**
   * The DataNodes have no room; what was acknowledged stays, and writes work again when there is
   * room.
   */
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

  /** The other side has another secret, or is of another version. */
  public static final class Incompatible extends SalusException {
    private static final long serialVersionUID = 1L;

    public Incompatible(String message) {
      super(message, null);
    }
  }

  /** Something of a volume is missing that it cannot be without. */
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
}
