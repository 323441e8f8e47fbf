package org.salus.sim.scale;

/** Calls, and blocks that came with them. */
public record Tally(long calls, long blocks) {
  Tally plus(long moreCalls, long moreBlocks) {
    return new Tally(calls + moreCalls, blocks + moreBlocks);
  }
}
