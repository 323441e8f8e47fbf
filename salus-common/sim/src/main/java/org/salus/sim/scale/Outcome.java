package org.salus.sim.scale;

/**
 * The result of a scenario.
 *
 * @param rate bytes a second of all clients together, from the first request to the last answer
 * @param steadyRate the same while the middle half of all blocks was written
 * @param client the clients' work for all blocks
 * @param server the region servers' work
 * @param dataNode the DataNodes' work
 */
public record Outcome(double rate, double steadyRate, Tally client, Tally server, Tally dataNode) {}
