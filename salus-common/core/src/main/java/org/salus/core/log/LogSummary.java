package org.salus.core.log;

import java.util.List;

/**
 * A region's log, as a member sums it up for a mount (paper §4.4, phase 3).
 *
 * @param durable the prefix that is durable, as far as the log says
 * @param acked the certified watermark
 * @param prepared later batches, by seq
 */
public record LogSummary(Durable durable, long acked, List<Prepared> prepared) {

  /** Whether this batch is among the later ones, in whichever view. */
  public boolean holds(Prepared p) {
    return prepared.stream().anyMatch(x -> x.first() == p.first() && x.last() == p.last());
  }
}
