package org.salus.master;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.salus.common.zk.ClusterStore;
import org.salus.common.zk.ClusterStoreException;
import org.salus.common.zk.RrsRecord;
import org.salus.common.zk.RrsRecord.Member;
import org.salus.common.zk.RrsRecord.State;
import org.salus.common.zk.ServerRecord;
import org.salus.common.zk.Versioned;
import org.salus.common.zk.VolumeDirectory;
import org.salus.common.zk.VolumeRecord;
import org.salus.core.VolumeSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One volume in the master's care. For one thread. */
final class KeptVolume implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptVolume.class);
  private static final int MEMBERS = 3;

  private final String name;
  private final MasterContext context;
  private final ClusterStore store;
  private final Runnable wake;
  private VolumeDirectory directory;
  private boolean tableMade;

  KeptVolume(String name, MasterContext context, ClusterStore store, Runnable wake) {
    this.name = name;
    this.context = context;
    this.store = store;
    this.wake = wake;
  }

  /** Does what the volume needs now, with these servers. */
  void keep(Map<String, ServerRecord> running) throws IOException {
    VolumeRecord volume = store.volume(name);
    switch (volume.state()) {
      case ACTIVE -> keepServing(volume.spec(), running);
      case DELETING -> removeMembers(volume.spec());
      case DELETED -> {
        context.tables().delete(name);
        store.finishDelete(name);
        LOG.info("volume {} is deleted", name);
      }
    }
  }

  private void keepServing(VolumeSpec spec, Map<String, ServerRecord> running) throws IOException {
    if (!tableMade) {
      context.tables().create(name, spec.regionCount());
      tableMade = true;
    }
    if (directory == null) {
      directory = new VolumeDirectory(store, spec, (region, now) -> wake.run());
    }
    for (int r = 0; r < spec.regionCount(); r++) {
      Optional<Versioned<RrsRecord>> now = store.rrs(name, r);
      if (now.isEmpty()) {
        openFirst(r, running);
      } else {
        String why = why(now.get().value(), running);
        if (why != null) {
          openNext(r, now.get(), why, running);
        }
      }
    }
  }

  /** Members are where HBase has the region's replicas open, the primary's place going round. */
  private void openFirst(int region, Map<String, ServerRecord> running) throws IOException {
    List<String> nodes = context.placement(name).getOrDefault(region, List.of()).stream().distinct().toList();
    Optional<List<Member>> members = members(nodes, running);
    if (members.isPresent()) {
      store.createRrs(name, region, new RrsRecord(1, members.get(), State.OPENING, "the first"));
      LOG.info("region {} of volume {}: epoch 1 on {}", region, name, nodes);
    }
  }

  /** Why an epoch cannot go on, or null. */
  private static String why(RrsRecord rrs, Map<String, ServerRecord> running) {
    if (rrs.state() == State.BROKEN) {
      return rrs.note();
    }
    for (Member m : rrs.members()) {
      ServerRecord s = running.get(m.node());
      if (s == null || s.startCode() != m.startCode()) {
        return m.node() + (s == null ? " is gone" : " has started again");
      }
    }
    return null;
  }

  /** The same servers go on, for they have the data; when one of them is not there, the region waits for it. */
  private void openNext(int region, Versioned<RrsRecord> now, String why, Map<String, ServerRecord> running) throws IOException {
    Optional<List<Member>> members = members(now.value().nodes(), running);
    if (members.isPresent()) {
      int epoch = now.value().epoch() + 1;
      store.replaceRrs(name, region, now.version(), new RrsRecord(epoch, members.get(), State.OPENING, why));
      LOG.info("region {} of volume {}: epoch {} on {}, for {}", region, name, epoch, now.value().nodes(), why);
    } else if (now.value().state() != State.BROKEN) {
      store.replaceRrs(name, region, now.version(), now.value().with(State.BROKEN, why));
      LOG.warn("region {} of volume {} waits: {}", region, name, why);
    }
  }

  /** The present processes of three nodes, if all run. */
  private static Optional<List<Member>> members(List<String> nodes, Map<String, ServerRecord> running) {
    List<Member> members = new ArrayList<>();
    for (String node : nodes) {
      ServerRecord s = running.get(node);
      if (s != null) {
        members.add(new Member(node, s.startCode(), s.dataNode()));
      }
    }
    return members.size() == MEMBERS ? Optional.of(members) : Optional.empty();
  }

  private void removeMembers(VolumeSpec spec) throws IOException {
    for (int r = 0; r < spec.regionCount(); r++) {
      try {
        store.deleteRrs(name, r);
      } catch (ClusterStoreException.Missing gone) {
        LOG.debug("region {} of volume {} has no record any more", r, name);
      }
    }
  }

  @Override
  public void close() {
    if (directory != null) {
      directory.close();
    }
  }
}
