package org.salus.regionserver;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.host.metrics.Metrics;
import org.salus.regionserver.meter.MemberMeter;
import org.salus.regionserver.meter.RegionMeter;
import org.salus.regionserver.meter.VolumeMeter;
import org.salus.regionserver.meter.Waits;

/** Meters at whose metrics nobody looks. */
public final class TestMeters {
  private TestMeters() {}

  public static MemberMeter of(RegionId region) {
    Metrics metrics = new Metrics();
    return new RegionMeter(metrics, new VolumeMeter(metrics, "disk"), "disk", region)
        .begins(new Waits.Place(1, List.of(), "node"));
  }
}
