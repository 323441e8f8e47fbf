/** The commands {@code sim} and {@code explore} of {@code bin/salus}. */
package org.salus.sim.cli;
