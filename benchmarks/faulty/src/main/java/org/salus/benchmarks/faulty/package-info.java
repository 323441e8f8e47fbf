/**
 * Region servers that do wrong when they are told to, for tests and for {@code salus faults}.
 * {@link org.salus.benchmarks.faulty.FaultyEngine} takes the place of the right engine; {@link
 * org.salus.benchmarks.faulty.FaultSwitches} switches its faults on and off.
 *
 * <p>Invariant: while no fault is on for a volume, its members do exactly what right ones do.
 */
package org.salus.benchmarks.faulty;
