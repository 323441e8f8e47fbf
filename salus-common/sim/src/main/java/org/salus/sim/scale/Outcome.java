package org.salus.sim.scale;

/**
 * What came of a scenario.
 *
 * @param rate bytes a second of all clients together, from the first request to the last answer
 * @param steadyRate the same while the middle half of all blocks was written
 * @param client what clients did for all blocks
 * @param server what region servers did
 * @param dataNode what DataNodes did
 */
public record Outcome(double rate, double steadyRate, Tally client, Tally server, Tally dataNode) {}
