package org.salus.sim.scale;

import java.util.concurrent.TimeUnit;

/**
 * The capacity of a machine.
 *
 * @param cores number of cores
 * @param diskRate bytes a second that its disk takes
 * @param networkRate bytes a second in each direction
 * @param latencyNanos one-way latency between two machines, in nanoseconds
 */
public record Hardware(int cores, double diskRate, double networkRate, long latencyNanos) {
  /**
   * EC2's extra large instance as in the paper: four cores, about 100 MB/s of disk and of network.
   */
  public static final Hardware PAPER =
      new Hardware(4, 100e6, 100e6, TimeUnit.MICROSECONDS.toNanos(200));

  /** A machine that neither disk nor network limits. */
  public static Hardware ofCores(int cores) {
    return new Hardware(cores, 1e12, 1e12, TimeUnit.MICROSECONDS.toNanos(20));
  }
}
