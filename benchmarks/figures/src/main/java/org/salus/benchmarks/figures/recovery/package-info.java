/**
 * How long writes stand still when servers are killed ({@link
 * org.salus.benchmarks.figures.recovery.RecoveryBench}), and what scrubbing costs ({@link
 * org.salus.benchmarks.figures.recovery.ScrubBench}).
 *
 * <p>Invariant: a run removes whatever it has started or written here.
 */
package org.salus.benchmarks.figures.recovery;
