package org.salus.core.log;

import java.util.List;

/**
 * What a region's log says about the volume.
 *
 * @param durable everything up to here is on the disks of all members of all regions
 * @param acked the certified watermark
 * @param baseLast the last seq of the newest durable batch that this region took part in, or a
 *     resolved prefix
 * @param baseRoot volume root after it
 * @param prepared later batches, by seq
 */
public record LogSummary(
    long durable, long acked, long baseLast, byte[] baseRoot, List<Prepared> prepared) {

  /** Whether this batch is among the later ones, in whichever view. */
  public boolean holds(Prepared p) {
    return prepared.stream().anyMatch(x -> x.first() == p.first() && x.last() == p.last());
  }
}
