/**
 * Microbenchmarks of the pieces that every block passes, on JMH: {@link
 * org.salus.benchmarks.micro.Microbenchmarks} runs them with the allocation profiler and makes the
 * table per 4 KiB block. What is package-private is measured from a class in its own package.
 *
 * <p>JMH is under the GPL with the classpath exception: this module is for developers, it is on no
 * class path of the distribution, and nothing depends on it.
 *
 * <p>Invariant: no benchmark needs a cluster, a network or more than 100 MB of temporary files.
 */
package org.salus.benchmarks.micro;
