package org.salus.core.checkpoint;

/**
 * A file cannot be read, or is not what was certified: this member's replica is damaged or its
 * DataNode is gone, or the disk would have to be waited for. It has no stack trace, for the last is
 * no rare thing.
 */
public final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnreadableException(String message) {
    this(message, null);
  }

  public UnreadableException(String message, Throwable cause) {
    super(message, cause, true, false);
  }
}
