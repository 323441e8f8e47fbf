/**
 * Results of benchmarks as tables, plots and files.
 *
 * <p>Invariant: every file names the environment in which its figures were measured.
 */
package org.salus.benchmarks.report;
