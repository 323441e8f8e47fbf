/**
 * What was written to a store and what is read from it, and the verdict on both. Nothing here knows
 * which store it is.
 *
 * <p>Invariant: contents come from a seed, so the bytes of a block tell which write they are from.
 */
package org.salus.benchmarks.faults.history;
