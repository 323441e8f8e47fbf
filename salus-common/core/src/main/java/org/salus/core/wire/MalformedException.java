package org.salus.core.wire;

/**
 * Bytes are no encoding of what was expected. They were damaged in transit or on disk; it is never
 * a bug of this process.
 */
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1L;

  public MalformedException(String message) {
    super(message);
  }
}
