package org.salus.regionserver;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.salus.core.Endpoint;
import org.salus.host.zk.WaitsRecord;
import org.salus.regionserver.hdfs.ScrubFile;
import org.salus.regionserver.scrub.Scrubber;

/** The cluster's volumes as this server follows them. Thread-safe. */
final class HostedVolumes implements Scrubber.Files, AutoCloseable {
  /**
   * The time to wait for members to close. A member waits less than this for its last writes to be
   * acknowledged.
   */
  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final Map<String, HostedVolume> byName = new ConcurrentHashMap<>();
  private final Map<Long, HostedVolume> byId = new ConcurrentHashMap<>();
  private boolean closed;

  boolean has(String name) {
    return byName.containsKey(name);
  }

  /** Adds a new volume and starts it; does nothing after {@link #close}. */
  synchronized void add(HostedVolume v) {
    if (closed) {
      return;
    }
    byName.put(v.spec().name(), v);
    byId.put(v.spec().id(), v);
    v.start();
  }

  /** Closes the volumes that are not named. */
  synchronized void retain(Collection<String> names) {
    for (HostedVolume v : List.copyOf(byName.values())) {
      if (!names.contains(v.spec().name())) {
        byName.remove(v.spec().name());
        byId.remove(v.spec().id());
        v.close();
      }
    }
  }

  /** The server of a member, or null while that is unknown. */
  String nodeOf(Endpoint.Member m) {
    HostedVolume v = byId.get(m.region().volume());
    return v == null ? null : v.directory().node(m.region().index(), m.lane());
  }

  void wake() {
    byName.values().forEach(HostedVolume::wake);
  }

  /** To be called on each loop every few tens of milliseconds. */
  void tick(int loop) {
    byName.values().forEach(v -> v.tick(loop));
  }

  /** What waits at members on this server, or lately has. */
  List<WaitsRecord.Waits> waits() {
    long now = System.nanoTime();
    return byName.values().stream().flatMap(v -> v.waits(now)).toList();
  }

  /** Renews the leases of open segments, which HDFS would otherwise revoke. */
  void renewLeases() {
    byName.values().forEach(HostedVolume::renewLeases);
  }

  @Override
  public boolean now(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
    boolean all = true;
    for (HostedVolume v : byName.values()) {
      all &= v.addFiles(to, doubtful, pending);
    }
    return all;
  }

  @Override
  public void replaced(ScrubFile f) {
    byName.values().forEach(v -> v.replaced(f));
  }

  /** Closes all volumes, then waits until the last writes are acknowledged, at most 4 s. */
  @Override
  public void close() {
    List<HostedVolume> hosted = end();
    long end = System.nanoTime() + LAST_WRITES_NANOS;
    hosted.forEach(v -> v.awaitEnd(end));
  }

  private synchronized List<HostedVolume> end() {
    closed = true;
    List<HostedVolume> hosted = List.copyOf(byName.values());
    retain(List.of());
    return hosted;
  }
}
