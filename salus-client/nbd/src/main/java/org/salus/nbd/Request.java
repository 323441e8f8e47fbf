package org.salus.nbd;

/**
 * The header of a request. Offset and length are unsigned on the wire; {@link RequestGate} checks
 * them. Immutable.
 */
public record Request(int flags, int command, long cookie, long offset, int length) {

  /** Length in bytes, as the unsigned number that was sent. */
  public long bytes() {
    return Integer.toUnsignedLong(length);
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
