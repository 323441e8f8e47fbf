/**
 * What processes spend and hold while a figure is measured: processor time, bytes, heap and
 * checkpoints.
 *
 * <p>Invariant: a watch only reads what the JVM and Linux show; it changes nothing that is
 * measured, except that {@link org.salus.benchmarks.figures.watch.ServerMemory} has a server
 * collect its garbage.
 */
package org.salus.benchmarks.figures.watch;
