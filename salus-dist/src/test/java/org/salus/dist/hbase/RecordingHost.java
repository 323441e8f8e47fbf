package org.salus.dist.hbase;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.salus.regionserver.RegionServerHost;
import org.salus.regionserver.ServerContext;

/** An engine that only notes what it is told, by node. */
public final class RecordingHost implements RegionServerHost {
  record Seen(ServerContext context, Set<String> open, Set<String> closed) {}

  static final Map<String, Seen> RUNNING = new ConcurrentHashMap<>();
  static final Map<String, Seen> STOPPED = new ConcurrentHashMap<>();

  private Seen seen;

  @Override
  public void start(ServerContext context) {
    seen = new Seen(context, ConcurrentHashMap.newKeySet(), ConcurrentHashMap.newKeySet());
    RUNNING.put(context.node(), seen);
  }

  @Override
  public boolean isReady() {
    return seen != null;
  }

  @Override
  public void replicaOpened(String volume, int region, int replica) {
    seen.open().add(volume + "/" + region + "/" + replica);
    throw new IllegalStateException("a bug that the hook must keep from HBase");
  }

  @Override
  public void replicaClosed(String volume, int region, int replica) {
    seen.open().remove(volume + "/" + region + "/" + replica);
    seen.closed().add(volume + "/" + region + "/" + replica);
  }

  @Override
  public void stop() {
    RUNNING.remove(seen.context().node());
    STOPPED.put(seen.context().node(), seen);
  }
}
