/** The data directory of a cluster on one machine. Invariant: at most one process has it open. */
package org.salus.dist.data;
