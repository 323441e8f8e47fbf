/**
 * The requests of clients, and how fast they were answered.
 *
 * <p>Invariants: every read is compared with what was written last; contents come from a seed, so
 * nothing needs to be remembered.
 */
package org.salus.benchmarks.figures.load;
