/**
 * The command line. Invariants: wrong usage ends with exit code 2 and any other failure with 1,
 * each with a message on the error stream. Standard output has results only.
 */
package org.salus.dist.cli;
