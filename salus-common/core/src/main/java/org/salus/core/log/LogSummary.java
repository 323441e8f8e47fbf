package org.salus.core.log;

import java.util.List;

/**
 * A region's log, as a member sums it up for a mount (paper §4.4, phase 3).
 *
 * @param durable the seq up to which everything is durable
 * @param acked the certified watermark
 * @param baseLast the last seq of the newest durable batch of this region, or a resolved prefix
 * @param baseRoot the volume root after {@code baseLast}
 * @param prepared later batches, by seq
 */
public record LogSummary(
    long durable, long acked, long baseLast, byte[] baseRoot, List<Prepared> prepared) {

  /** Whether this batch is among the later ones, in whichever view. */
  public boolean holds(Prepared p) {
    return prepared.stream().anyMatch(x -> x.first() == p.first() && x.last() == p.last());
  }
}
