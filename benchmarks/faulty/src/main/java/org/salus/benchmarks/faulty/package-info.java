/**
 * Region servers that do wrong when they are told to, for tests: {@link
 * org.salus.benchmarks.faulty.FaultyEngine} in the place of the right engine, and a coprocessor
 * that does as much harm to an ordinary HBase table.
 *
 * <p>Invariant: as long as no fault is switched on for a volume, its members do exactly what right
 * ones do.
 */
package org.salus.benchmarks.faulty;
