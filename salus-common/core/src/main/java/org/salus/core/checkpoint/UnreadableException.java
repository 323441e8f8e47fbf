package org.salus.core.checkpoint;

/**
 * A file cannot be read, or is not what was certified. This member's replica is damaged, its
 * DataNode is gone, or the caller would have to wait for the disk. It has no stack trace, because
 * the last is common.
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
