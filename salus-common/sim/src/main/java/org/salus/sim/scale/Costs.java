package org.salus.sim.scale;

/**
 * The processor time that a system's parts take. A call is what one of them sends or receives: a
 * message, or a batch for one server; at a DataNode, an append.
 */
public record Costs(Cost client, Cost server, Cost dataNode) {

  /**
   * Nanoseconds of processor time for each call, and for each block of 4 KiB that comes with it.
   */
  public record Cost(double call, double block) {
    long nanos(long calls, long blocks) {
      return Math.round(call * calls + block * blocks);
    }

    /**
     * The cost that explains two measurements. Where measurements err so much that one part would
     * be negative, that part is 0, and the other one is as the first says.
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
   * What a part did, and the processor time that it took.
   *
   * @param cpuNanos for all of it
   */
  public record Sample(Tally work, double cpuNanos) {}
}
