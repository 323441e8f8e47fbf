package org.salus.benchmarks.faulty;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.salus.benchmarks.faulty.hdfs.Vandal;
import org.salus.regionserver.RegionServerEngine;
import org.salus.regionserver.RegionServerHost;
import org.salus.regionserver.ServerContext;

/**
 * The engine of a server that can be told to do wrong; goes into {@link
 * RegionServerHost#CLASS_KEY}.
 */
public final class FaultyEngine implements RegionServerHost {
  private Control control;
  private Vandal vandal;
  private final RegionServerEngine engine =
      new RegionServerEngine(
          (spec, seat, signer, config) ->
              new FaultyMember(spec, seat, signer, config, control, vandal));

  @Override
  public void start(ServerContext context) {
    control = Control.of(context.configuration().get(Control.DIR_KEY), context.node());
    try {
      vandal = new Vandal(context.configuration());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    engine.start(context);
  }

  @Override
  public boolean isReady() {
    return engine.isReady();
  }

  @Override
  public void replicaOpened(String volume, int region, int replica) {
    engine.replicaOpened(volume, region, replica);
  }

  @Override
  public void replicaClosed(String volume, int region, int replica) {
    engine.replicaClosed(volume, region, replica);
  }

  @Override
  public void stop() {
    engine.stop();
    vandal.close();
  }
}
