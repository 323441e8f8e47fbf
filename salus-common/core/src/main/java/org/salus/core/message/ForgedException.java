package org.salus.core.message;

/**
 * A message is not from whom it names, not for whom it names, or was changed on its way. It is
 * never a bug of this process.
 */
public final class ForgedException extends Exception {
  private static final long serialVersionUID = 1L;

  ForgedException(Envelope e) {
    super(
        e.from()
            + " has not sealed this "
            + e.message().getClass().getSimpleName()
            + " for "
            + e.to());
  }
}
