package org.salus.core.wire;

/**
 * Bytes that are no encoding of what was expected: damage on the way or on disk, never a bug of
 * this process.
 */
public final class MalformedException extends Exception {
  private static final long serialVersionUID = 1L;

  public MalformedException(String message) {
    super(message);
  }
}
