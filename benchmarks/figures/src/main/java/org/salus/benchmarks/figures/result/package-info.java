/**
 * What a figure measured: samples of Salus and of its peers, with their ratios, as a table and as
 * files.
 *
 * <p>Invariant: a ratio is one of values of the same repetition; no file is ever overwritten.
 */
package org.salus.benchmarks.figures.result;
