package org.salus.host.zk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RRS records of a volume, kept up to date. They say which node is which member. Anybody can
 * write records into ZooKeeper, so this ignores those that the master did not sign for the region,
 * and those that are older than an epoch that has served. Thread-safe.
 */
public final class VolumeDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeDirectory.class);

  /** Told of each change of a record, on the store's thread. */
  public interface Listener {
    /** A region's record has changed to {@code now}; empty when it has none. */
    void changed(int region, Optional<Versioned<RrsRecord>> now);
  }

  private final VolumeSpec spec;
  private final Signer signer;
  private final Listener listener;
  private final Map<Integer, Versioned<RrsRecord>> records = new ConcurrentHashMap<>();

  /** The newest epoch of each region that has served. It stays when the record goes. */
  private final Map<Integer, Integer> newest = new ConcurrentHashMap<>();

  private final List<Watch> watches = new ArrayList<>();

  private VolumeDirectory(VolumeSpec spec, Signer signer, Listener listener) {
    this.spec = spec;
    this.signer = signer;
    this.listener = listener;
  }

  /** Begins to watch a volume's records. */
  public static VolumeDirectory watch(
      ClusterStore store, VolumeSpec spec, Signer signer, Listener listener) {
    VolumeDirectory directory = new VolumeDirectory(spec, signer, listener);
    for (int r = 0; r < spec.regionCount(); r++) {
      int region = r;
      directory.watches.add(
          store.watchRrs(spec.name(), region, now -> directory.changed(region, now)));
    }
    return directory;
  }

  private void changed(int region, Optional<Versioned<RrsRecord>> now) {
    if (now.isEmpty()) {
      records.remove(region);
      listener.changed(region, now);
      return;
    }
    EpochLink link = now.get().value().link();
    int seen = newest.getOrDefault(region, 0);
    if (!isGenuine(link, spec, region, signer)) {
      LOG.warn(
          "region {} of volume {}: no master has signed its record in ZooKeeper, so it is ignored:"
              + " {}; salus.secret must be the same everywhere",
          region,
          spec.name(),
          link);
    } else if (link.epoch() < seen) {
      LOG.warn(
          "region {} of volume {}: its record in ZooKeeper is older than epoch {}, so it is"
              + " ignored: {}",
          region,
          spec.name(),
          seen,
          link);
    } else {
      if (now.get().value().hasServed()) {
        newest.put(region, link.epoch()); // one that has not may never be known to the NameNode
      }
      records.put(region, now.get());
      listener.changed(region, now);
    }
  }

  private static boolean isGenuine(EpochLink link, VolumeSpec spec, int region, Signer signer) {
    return link.region().equals(spec.regionId(region)) && link.isGenuine(signer);
  }

  /** A region's record as it is now in ZooKeeper, if the master has signed it for this region. */
  public static Optional<Versioned<RrsRecord>> read(
      ClusterStore store, VolumeSpec spec, int region, Signer signer) throws ClusterStoreException {
    return store
        .rrs(spec.name(), region)
        .filter(now -> isGenuine(now.value().link(), spec, region, signer));
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
