package org.salus.regionserver;

import org.salus.core.RegionId;
import org.salus.host.metrics.Metrics;
import org.salus.regionserver.meter.RegionMeter;
import org.salus.regionserver.meter.VolumeMeter;

/** Meters at whose metrics nobody looks. */
public final class TestMeters {
  private TestMeters() {}

  public static RegionMeter of(RegionId region) {
    Metrics metrics = new Metrics();
    return new RegionMeter(metrics, new VolumeMeter(metrics, "disk"), "disk", region);
  }
}
