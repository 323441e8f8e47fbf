package org.salus.sim.scale;

/** A number of calls, and of the blocks in them. */
public record Tally(long calls, long blocks) {
  Tally plus(long moreCalls, long moreBlocks) {
    return new Tally(calls + moreCalls, blocks + moreBlocks);
  }
}
