package org.salus.core.checkpoint;

/** A file cannot be read, or is not what was certified: this member's replica is damaged or its DataNode is gone. */
public final class UnreadableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnreadableException(String message) {
    super(message);
  }

  public UnreadableException(String message, Throwable cause) {
    super(message, cause);
  }
}
