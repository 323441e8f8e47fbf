/**
 * A network of machines on one computer. Each machine is a network namespace with links to a
 * switch, whose bandwidth is limited and whose bytes are counted ({@link
 * org.salus.benchmarks.figures.network.MachineNetwork}). Making one needs root.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Nothing is made or changed outside of namespaces whose names begin with the process that
 *       made them.
 *   <li>What a killed process left behind is recognised by that name, and removed before the next
 *       network is made.
 * </ul>
 */
package org.salus.benchmarks.figures.network;
