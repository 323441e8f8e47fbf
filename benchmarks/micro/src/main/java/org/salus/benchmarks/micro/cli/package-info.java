/**
 * The command {@code bin/salus-jmh}.
 *
 * <p>Invariant: it runs every benchmark in a process of its own, with the options of {@code
 * bin/salus}.
 */
package org.salus.benchmarks.micro.cli;
