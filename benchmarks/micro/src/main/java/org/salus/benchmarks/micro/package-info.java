/**
 * Microbenchmarks, on JMH, of the code that every block passes. The command in {@code
 * org.salus.benchmarks.micro.cli} runs them with an allocation profiler and prints a table per 4
 * KiB block.
 *
 * <p>JMH is under the GPL with the classpath exception. So this module is for developers only: it
 * is on no class path of the distribution, and no module depends on it.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>No benchmark needs a cluster, a network or more than 100 MB of temporary files.
 *   <li>Benchmarks use public classes of the other modules and live in packages of this one.
 * </ul>
 */
package org.salus.benchmarks.micro;
