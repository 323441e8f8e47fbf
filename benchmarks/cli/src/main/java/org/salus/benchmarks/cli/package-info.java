/**
 * The commands {@code bench}, {@code sim}, {@code explore} and {@code faults} of {@code bin/salus}.
 * They are there in a source tree only: a daemon's class path and what is installed have nothing of
 * them.
 */
package org.salus.benchmarks.cli;
