/**
 * How long writes stand still when servers are killed ({@link
 * org.salus.benchmarks.figures.recovery.RecoveryBench}), and what scrubbing costs ({@link
 * org.salus.benchmarks.figures.recovery.ScrubBench}).
 *
 * <p>Invariant: whatever is started or written here is gone when a run is over.
 */
package org.salus.benchmarks.figures.recovery;
