package org.salus.sim.parts;

import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogReader;

/** Makes readers of log replicas. */
@FunctionalInterface
public interface ReaderMaker {
  LogReader make(LogReader.Source source, RegionId region, long segment, Signer signer);
}
