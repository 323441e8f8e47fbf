package org.salus.sim.scale;

import java.util.concurrent.TimeUnit;

/**
 * What a machine has.
 *
 * @param cores that work at the same time
 * @param diskRate bytes a second that its disk takes
 * @param networkRate bytes a second in each direction
 * @param latencyNanos between two machines, one way
 */
public record Hardware(int cores, double diskRate, double networkRate, long latencyNanos) {
  /**
   * EC2's extra large instances as the paper has them: four cores, about 100 MB/s of disk and of
   * network.
   */
  public static final Hardware PAPER =
      new Hardware(4, 100e6, 100e6, TimeUnit.MICROSECONDS.toNanos(200));

  /** A machine on which neither disk nor network is the limit. */
  public static Hardware ofCores(int cores) {
    return new Hardware(cores, 1e12, 1e12, TimeUnit.MICROSECONDS.toNanos(20));
  }
}
