package org.salus.nbd.option;

/** The data of an option is not what the protocol says. The message is for the client's user. */
final class InvalidOptionException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidOptionException(String message) {
    super(message);
  }
}
