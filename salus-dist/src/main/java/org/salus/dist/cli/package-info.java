/**
 * The command line. Invariants: bad usage ends with exit code 2, any other failure with 1, each
 * with one line on the error stream; standard output has results only.
 */
package org.salus.dist.cli;
