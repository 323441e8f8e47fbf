package org.salus.host.zk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.salus.core.Lanes;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.RrsRecord;

/**
 * The RRS records of a volume, kept up to date. They say which node is which member. Thread-safe.
 */
public final class VolumeDirectory implements AutoCloseable {
  /** Told of each change of a record, on the store's thread. */
  public interface Listener {
    /** A region's record has changed to {@code now}; empty when it has none. */
    void changed(int region, Optional<Versioned<RrsRecord>> now);
  }

  private final Map<Integer, Versioned<RrsRecord>> records = new ConcurrentHashMap<>();
  private final List<Watch> watches = new ArrayList<>();

  public VolumeDirectory(ClusterStore store, VolumeSpec spec, Listener listener) {
    for (int r = 0; r < spec.regionCount(); r++) {
      int region = r;
      watches.add(
          store.watchRrs(
              spec.name(),
              region,
              now -> {
                now.ifPresentOrElse(v -> records.put(region, v), () -> records.remove(region));
                listener.changed(region, now);
              }));
    }
  }

  /** The newest known record of a region. */
  public Optional<Versioned<RrsRecord>> rrs(int region) {
    return Optional.ofNullable(records.get(region));
  }

  /** The node of the member that acts in a lane of a region, or null while it is unknown. */
  public String node(int region, int lane) {
    Versioned<RrsRecord> v = records.get(region);
    if (v == null || lane < 0 || lane >= Lanes.COUNT) {
      return null;
    }
    List<RrsRecord.Member> members = v.value().members();
    return members.get(Lanes.member(lane, members.size())).node();
  }

  /** Every node that is a member of some region, sorted. */
  public TreeSet<String> nodes() {
    TreeSet<String> nodes = new TreeSet<>();
    records.values().forEach(v -> nodes.addAll(v.value().nodes()));
    return nodes;
  }

  @Override
  public void close() {
    watches.forEach(Watch::close);
  }
}
