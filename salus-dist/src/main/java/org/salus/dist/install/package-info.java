/**
 * Puts Salus into an existing Hadoop and HBase, and takes it out again. Invariant: whoever looks
 * between two runs finds all of it or nothing, and a run that was cut off is undone by the next
 * one.
 */
package org.salus.dist.install;
