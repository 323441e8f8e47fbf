/**
 * Hosts on one machine: each a network namespace of its own with a link to a switch, whose
 * bandwidth is limited and whose bytes are counted ({@link
 * org.salus.benchmarks.figures.network.MachineNetwork}). Needs root.
 *
 * <p>Invariant: nothing is made or changed outside of namespaces that are named after the process
 * that made them; what such a process left behind when it was killed is recognised by that name,
 * and removed before the next network is made.
 */
package org.salus.benchmarks.figures.network;
