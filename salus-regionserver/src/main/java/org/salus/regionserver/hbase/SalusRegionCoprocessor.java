package org.salus.regionserver.hbase;

import java.util.Optional;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.salus.host.VolumeTables;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the engine which HBase replicas of volumes' regions are open on its server. It ignores
 * ordinary tables. Name it in {@code hbase.coprocessor.user.region.classes}.
 */
@CoreCoprocessor
public final class SalusRegionCoprocessor implements RegionCoprocessor, RegionObserver {
  private static final Logger LOG = LoggerFactory.getLogger(SalusRegionCoprocessor.class);

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    tell(context.getEnvironment(), true);
  }

  @Override
  public void postClose(
      ObserverContext<RegionCoprocessorEnvironment> context, boolean abortRequested) {
    tell(context.getEnvironment(), false);
  }

  private static void tell(RegionCoprocessorEnvironment environment, boolean open) {
    RegionInfo info = environment.getRegionInfo();
    if (!info.getTable().getNamespaceAsString().equals(VolumeTables.NAMESPACE)) {
      return;
    }
    try {
      HostedServer server = HostedServer.of(environment.getServerName());
      if (server == null) {
        return;
      }
      String volume = info.getTable().getQualifierAsString();
      int region = VolumeTables.region(info.getStartKey());
      if (open) {
        server.opened(volume, region, info.getReplicaId());
      } else {
        server.closed(volume, region, info.getReplicaId());
      }
    } catch (RuntimeException | LinkageError failed) {
      LOG.error(
          "BUG: {} of {} did not reach the engine", open ? "opening" : "closing", info, failed);
    }
  }
}
