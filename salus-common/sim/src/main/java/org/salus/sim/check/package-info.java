/**
 * One checker for each property of the protocol. A checker learns what happened through {@link
 * org.salus.sim.check.Checker} and throws a {@link org.salus.sim.check.Violation} as soon as its
 * property does not hold.
 */
package org.salus.sim.check;
