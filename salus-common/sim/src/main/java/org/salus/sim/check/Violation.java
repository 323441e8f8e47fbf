package org.salus.sim.check;

/** A property does not hold. The message says which property, where and for what. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param property the property's name, as in the protocol's list
   */
  public Violation(String property, String what) {
    super(property + ": " + what);
  }
}
