package org.salus.sim.scale;

/**
 * The processor time of a system's parts. A call is one message or one batch for a server that a
 * part sends or receives; at a DataNode it is an append.
 */
public record Costs(Cost client, Cost server, Cost dataNode) {

  /** Nanoseconds of processor time for each call, and for each block of 4 KiB in it. */
  public record Cost(double call, double block) {
    long nanos(long calls, long blocks) {
      return Math.round(call * calls + block * blocks);
    }

    /**
     * The cost that explains two measurements. If their errors would make one of its parts
     * negative, that part is 0 and the other one follows from the first measurement.
     *
     * @param many a load of many blocks a call
     * @param few a load of few blocks a call
     */
    static Cost of(Sample many, Sample few) {
      double determinant =
          (double) many.work.calls() * few.work.blocks()
              - (double) few.work.calls() * many.work.blocks();
      double call =
          determinant == 0
              ? 0
              : (many.cpuNanos * few.work.blocks() - few.cpuNanos * many.work.blocks())
                  / determinant;
      if (call < 0) {
        return new Cost(0, many.cpuNanos / many.work.blocks());
      }
      double block = (many.cpuNanos - call * many.work.calls()) / many.work.blocks();
      return block < 0 ? new Cost(many.cpuNanos / many.work.calls(), 0) : new Cost(call, block);
    }
  }

  /**
   * The work that a part did, and the processor time that it took.
   *
   * @param cpuNanos the time for all of it, in nanoseconds
   */
  public record Sample(Tally work, double cpuNanos) {}
}
