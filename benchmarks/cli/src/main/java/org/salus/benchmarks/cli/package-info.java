/**
 * The commands {@code bench}, {@code sim}, {@code explore} and {@code faults} of {@code bin/salus}.
 * They exist only in a source tree. Neither a daemon's class path nor an installation has them.
 */
package org.salus.benchmarks.cli;
