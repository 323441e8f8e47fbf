package org.salus.master;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Executor;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.ClusterView;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.replacement.KeeperTimes;
import org.salus.core.replacement.RegionKeeper;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Troubled;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStore.RrsChange;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.Watch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One volume in the master's care: has a {@link RegionKeeper} for each region, and does in
 * ZooKeeper what they say (§4.2.2, §4.4 phase 1). For one thread.
 */
final class KeptVolume implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptVolume.class);

  /** The segments for which a DataNode must have room, as the creation of a segment asks for. */
  private static final int SEGMENTS_OF_ROOM = 2;

  /**
   * The segments for which a DataNode must have room if a replica moves there. There are more, so
   * that the replica does not soon move on.
   */
  private static final int SEGMENTS_OF_AMPLE_ROOM = 8;

  private final String name;
  private final MasterContext context;
  private final ClusterStore store;
  private final Patience patience;
  private final int minMembers;
  private final Runnable wake;
  private final Signer signer;
  private final KeptEpochs epochs;
  private final Accusations accusations;
  private final DataNodeProbe dataNodes = new DataNodeProbe();
  private final HdfsView hdfs;
  private final Drained drained;

  private final Troubled troubled = new Troubled();
  private final Map<RegionId, RegionKeeper> keepers = new HashMap<>();
  private final List<Watch> watches = new ArrayList<>();
  private boolean closed;

  private final KeptTable table;

  /** Null until the volume's record was read. */
  private VolumeMeter meter;

  /** Decides how long the master waits for absent servers. */
  interface Patience {
    /**
     * Whether an absent server has had enough time to start.
     *
     * @param restarted whether no process of the region's epoch is left, so that registrations may
     *     be from before a restart
     */
    boolean isOver(String node, boolean restarted);
  }

  /**
   * What all volumes of a master share.
   *
   * @param epochs knows what the NameNode knows of epochs
   * @param hdfs what the NameNode says of DataNodes
   * @param drained the servers that operators drain
   * @param tables runs the requests that wait for HBase
   */
  record Tools(
      MasterContext context,
      ClusterStore store,
      ClusterSettings settings,
      KeptEpochs epochs,
      HdfsView hdfs,
      Drained drained,
      Executor tables) {}

  /**
   * @param patience decides how long to wait for absent servers
   * @param wake has {@link #keep} called soon; any thread may run it
   */
  KeptVolume(String name, Tools tools, Patience patience, Runnable wake) {
    this.name = name;
    this.context = tools.context();
    this.store = tools.store();
    this.minMembers = tools.settings().rrsMinMembers();
    this.signer = new Signer(tools.settings().secret().getBytes(StandardCharsets.UTF_8));
    this.epochs = tools.epochs();
    this.accusations = new Accusations(signer);
    this.patience = patience;
    this.hdfs = tools.hdfs();
    this.drained = tools.drained();
    this.table = new KeptTable(name, context, tools.tables(), wake);
    this.wake = wake;
  }

  /**
   * Does the volume's next steps.
   *
   * @param running the servers that run, by node
   * @throws IOException when a step failed; the others are done, and the next call repeats it
   */
  void keep(Map<String, ServerRecord> running) throws IOException {
    VolumeRecord volume = store.volume(name);
    meter().expects(volume.state() == VolumeRecord.State.ACTIVE ? volume.spec().regionCount() : 0);
    switch (volume.state()) {
      case RESTORING -> {
        // A region without a record is not a new one here: it has no epoch until all records are
        // there.
      }
      case ACTIVE -> keepServing(volume.spec(), running);
      case DELETING -> removeMembers(volume.spec());
      case DELETED ->
          table.delete(
              () -> {
                store.finishDelete(name);
                LOG.info("volume {} is deleted", name);
              });
    }
  }

  private void keepServing(VolumeSpec spec, Map<String, ServerRecord> running) throws IOException {
    table.create(spec.regionCount());
    watch(spec);
    Map<String, Member> members = new LinkedHashMap<>();
    running.forEach(
        (node, server) ->
            members.put(node, new Member(node, server.startCode(), server.dataNode())));
    List<RrsChange> next = new ArrayList<>();
    IOException failed = null;
    for (int r = 0; r < spec.regionCount(); r++) {
      try {
        keepServing(spec, r, members).ifPresent(next::add);
      } catch (IOException one) { // the other regions do not wait for it
        if (failed == null) {
          failed = one;
        } else {
          failed.addSuppressed(one);
        }
      }
    }
    // Few steps, because each waits for ZooKeeper's disk, and the last region waits for all.
    for (int i = 0; i < next.size(); i += ClusterStore.MOST_CHANGES) {
      open(spec, next.subList(i, Math.min(next.size(), i + ClusterStore.MOST_CHANGES)));
    }
    if (failed != null) {
      throw failed;
    }
  }

  private void open(VolumeSpec spec, List<RrsChange> next) throws IOException {
    try {
      store.replaceRrs(name, next);
    } catch (ClusterStoreException.Conflict raced) {
      if (next.size() == 1) {
        throw raced;
      }
      for (RrsChange x : next) {
        open(spec, List.of(x));
      }
      return;
    }
    for (RrsChange x : next) {
      meter().opened();
      keeper(spec, x.region()).opened(x.record().epoch(), System.nanoTime());
      LOG.info(
          "region {} of volume {}: epoch {} on {}, for {}",
          x.region(),
          name,
          x.record().epoch(),
          x.record().nodes(),
          x.record().note());
    }
  }

  /** Does a region's next step. Returns its next epoch for the caller to open, or empty. */
  private Optional<RrsChange> keepServing(VolumeSpec spec, int region, Map<String, Member> running)
      throws IOException {
    Optional<Versioned<RrsRecord>> now = store.rrs(name, region);
    meter().sees(region, now.map(Versioned::value).orElse(null));
    Optional<RegionKeeper.Step> step =
        keeper(spec, region)
            .next(
                now.map(Versioned::value).orElse(null),
                new Seen(spec, region, epochs.of(spec, region, now), running));
    if (step.isEmpty()) {
      return Optional.empty();
    }
    RrsRecord next = step.get().record();
    if (now.isEmpty()) {
      store.createRrs(name, region, next);
      meter().opened();
    } else if (next.state() == State.OPENING && !next.link().equals(now.get().value().link())) {
      return Optional.of(new RrsChange(region, now.get().version(), next));
    } else {
      store.replaceRrs(name, region, now.get().version(), next);
    }
    if (next.state() == State.BROKEN) {
      LOG.warn("region {} of volume {}: {}", region, name, step.get().said());
    } else {
      LOG.info("region {} of volume {}: {}", region, name, step.get().said());
    }
    return Optional.empty();
  }

  private RegionKeeper keeper(VolumeSpec spec, int region) {
    return keepers.computeIfAbsent(
        spec.regionId(region),
        r ->
            new RegionKeeper(
                r,
                signer,
                EpochRules.PAPER,
                KeeperRules.PAPER,
                new RegionKeeper.Asked(minMembers, spec.strict()),
                KeeperTimes.USUAL,
                troubled));
  }

  /** What the keeper of a region sees. */
  private final class Seen implements ClusterView {
    private final VolumeSpec spec;
    private final int region;
    private final EpochRegister register;
    private final Map<String, Member> running;

    Seen(VolumeSpec spec, int region, EpochRegister register, Map<String, Member> running) {
      this.spec = spec;
      this.region = region;
      this.register = register;
      this.running = running;
    }

    @Override
    public EpochRegister register() {
      return register;
    }

    @Override
    public Map<String, Member> running() {
      return running;
    }

    @Override
    public List<String> placement() {
      return context.placement(name).getOrDefault(region, List.of());
    }

    @Override
    public List<String> dataNodes() {
      List<String> all = hdfs.withRoom(SEGMENTS_OF_AMPLE_ROOM * spec.segmentBytes());
      Collections.rotate(all, -region); // regions spread their replicas
      return all;
    }

    @Override
    public Set<String> drainedDataNodes() {
      return drained.dataNodes();
    }

    @Override
    public boolean hasDataNode(Member server) {
      return dataNodes.isAlive(server.dataNode());
    }

    @Override
    public Optional<Reason> trouble() {
      return hdfs.trouble();
    }

    @Override
    public boolean hasUser() {
      try {
        return store.writer(name).filter(w -> !w.value().withoutUser()).isPresent();
      } catch (ClusterStoreException unknown) {
        LOG.debug("it is not known whether volume {} has a user", name, unknown);
        return true;
      }
    }

    @Override
    public DataNodeState dataNode(Member server) {
      DataNodeState state = hdfs.state(server.dataNode(), SEGMENTS_OF_ROOM * spec.segmentBytes());
      return !state.isRetiring() && drained.contains(server.node()) ? DataNodeState.DRAINED : state;
    }

    @Override
    public boolean isPatienceOver(String node, boolean restarted) {
      return patience.isOver(node, restarted);
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public long millis() {
      return System.currentTimeMillis();
    }
  }

  /**
   * Takes a session's accusation. If it counts, it breaks the epoch, so that the region goes on
   * without the member at once.
   */
  void hear(ClusterReports.Heard heard) throws IOException {
    if (hdfs.trouble().isPresent()) {
      return; // nobody is to blame; the session says it again
    }
    VolumeSpec spec = store.volume(name).spec();
    Optional<Versioned<RrsRecord>> now = VolumeDirectory.read(store, spec, heard.region(), signer);
    if (now.isEmpty()) {
      return;
    }
    RrsRecord rrs = now.get().value();
    Accusation said = heard.record().accusation();
    Long writer = store.writer(name).map(w -> w.value().mountEpoch()).orElse(null);
    String refusal =
        accusations.refusal(
            heard.record(), spec.id(), heard.region(), rrs, writer, System.nanoTime());
    if (refusal != null) {
      meter().heard(false);
      LOG.warn(
          "region {} of volume {}: what a session said does not count, because {}: {}",
          heard.region(),
          name,
          refusal,
          said);
      return;
    }
    String node = Accusations.accused(said, rrs);
    LOG.error(
        "region {} of volume {}: {} is accused by a session in epoch {}: it {}",
        heard.region(),
        name,
        node,
        rrs.epoch(),
        said.what());
    store.replaceRrs(
        name,
        heard.region(),
        now.get().version(),
        rrs.accused(said.cause(), node, node + " " + said.what()));
    meter().heard(true); // not before: after a conflict it is heard again
  }

  /** Whether the volume's table was made. */
  boolean hasTable() {
    return table.isMade();
  }

  /**
   * What is wrong with the volume's table.
   *
   * @param found the number of replicas of regions that HBase has; empty when it was asked before
   *     the table was made
   */
  Optional<Reason> tableTrouble(OptionalInt found) throws IOException {
    VolumeRecord volume = store.volume(name);
    return volume.state() == VolumeRecord.State.ACTIVE
        ? table.trouble(volume.spec().regionCount(), found)
        : Optional.empty();
  }

  private synchronized VolumeMeter meter() {
    if (meter == null) {
      meter = new VolumeMeter(context.metrics(), name);
      if (closed) { // a round may go on after the close
        meter.close();
      }
    }
    return meter;
  }

  private synchronized void watch(VolumeSpec spec) {
    for (int r = watches.size(); r < spec.regionCount() && !closed; r++) {
      watches.add(store.watchRrs(name, r, now -> wake.run()));
    }
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

  /** Another thread than that of the rounds may call it. */
  @Override
  public synchronized void close() {
    closed = true;
    watches.forEach(Watch::close);
    if (meter != null) {
      meter.close();
    }
  }
}
