package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogBefore;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.host.FaultHandler;
import org.salus.host.config.ClusterSettings;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.WriterClaim;
import org.salus.host.zk.WriterLease;

@Timeout(60)
class KeptVolumeTest {
  private static final VolumeSpec DISK = new VolumeSpec("disk", 77, 4096, 1000, 1, false, 1 << 27);
  private static final List<String> HOLDERS = List.of("a:1", "b:1", "c:1");

  @TempDir private Path directory;
  private final Map<String, SilentDataNode> dataNodes = new TreeMap<>();
  private final Map<String, ServerRecord> running = new TreeMap<>();
  private NIOServerCnxnFactory zookeeper;
  private ClusterStore store;
  private final Signer signer = new Signer(new byte[0]);
  private volatile EpochRegister register;
  private RrsRecord broken;
  private KeptVolume kept;
  private volatile Map<String, DataNodeReport> reports = Map.of();
  private volatile boolean safeMode;
  private final HdfsView hdfs = new HdfsView(new Master(), () -> {});
  private Drained drained;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new NIOServerCnxnFactory();
    zookeeper.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    zookeeper.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500));
    store =
        ClusterStore.connect(
            "127.0.0.1:" + zookeeper.getLocalPort(), Duration.ofSeconds(10), Duration.ofSeconds(4));
    drained = new Drained(store.drained());
    drained.look(running);
    for (String node : List.of("a:1", "b:1", "c:1", "d:1")) {
      SilentDataNode dataNode = SilentDataNode.start(0);
      dataNodes.put(node, dataNode);
      running.put(
          node,
          new ServerRecord(
              "127.0.0.1", 7, "127.0.0.1:" + dataNode.socket().getLocalPort(), 5, 0, ""));
    }
    broken = serving(5, HOLDERS).broken(Cause.FAILED, "a:1", "a:1: its replica failed");
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.ACTIVE));
    store.createRrs(DISK.name(), 0, broken);
    kept = master(2);
  }

  private KeptVolume master(int minMembers) {
    return master(DISK, minMembers, region -> register);
  }

  /**
   * @param registers what the NameNode knows of the epochs of a region
   */
  private KeptVolume master(
      VolumeSpec volume, int minMembers, IntFunction<EpochRegister> registers) {
    ClusterSettings settings =
        ClusterSettings.from(Map.of("salus.rrs.min-members", "" + minMembers));
    return new KeptVolume(
        volume.name(),
        new KeptVolume.Tools(
            new Master(),
            store,
            settings,
            new KeptEpochs((spec, region) -> registers.apply(region), Runnable::run, () -> {}),
            hdfs,
            drained,
            Runnable::run),
        (node, restarted) -> !restarted,
        () -> {});
  }

  /** An epoch that serves, as the NameNode knows it. */
  private RrsRecord serving(int epoch, List<String> nodes) {
    EpochLink link =
        EpochLink.first(DISK.regionId(0), epoch, members(nodes), members(nodes), signer);
    register = new EpochRegister(link, link, LogBefore.NONE);
    return new RrsRecord(link, State.OPENING, "").serving();
  }

  /** The epoch of the record serves, and the NameNode and ZooKeeper hear of it. */
  private RrsRecord serves(RrsRecord opening) throws IOException {
    register = new EpochRegister(opening.link(), opening.link(), LogBefore.NONE);
    replace(opening.serving());
    return opening.serving();
  }

  /** Another master takes over. */
  private void takeOver(int minMembers) {
    kept.close();
    kept = master(minMembers);
  }

  @AfterEach
  void stop() throws Exception {
    kept.close();
    hdfs.close();
    store.close();
    zookeeper.shutdown();
    for (SilentDataNode d : dataNodes.values()) {
      d.end();
    }
  }

  private List<RrsRecord.Member> members(List<String> nodes) {
    return nodes.stream()
        .map(n -> new RrsRecord.Member(n, running.get(n).startCode(), running.get(n).dataNode()))
        .toList();
  }

  private RrsRecord keep() throws IOException {
    kept.keep(running);
    return store.rrs(DISK.name(), 0).orElseThrow().value();
  }

  @Test
  void holdersWhoseDataNodesAreGoneAreNoMembers() throws Exception {
    dataNodes.get("a:1").end();
    dataNodes.get("b:1").end();
    RrsRecord next = keep();
    assertThat(next.state()).isEqualTo(State.OPENING);
    assertThat(next.nodes()).containsExactly("c:1", "d:1");
    assertThat(next.holders()).isEqualTo(HOLDERS);
  }

  @Test
  void aServerThatIsDrainedIsTheLastToTakeAPlace() throws Exception {
    running.put("e:1", running.get("d:1"));
    dataNodes.get("a:1").end();
    dataNodes.get("b:1").end();
    store.drained().add("d", Map.of());
    drained.look(running);
    assertThat(keep().nodes()).containsExactly("c:1", "e:1");
  }

  @Test
  void aDrainedServerKeepsItsDataNodeWhenItStops() throws Exception {
    String dataNode = running.get("d:1").dataNode();
    store.drained().add("d", Map.of());
    drained.look(running);
    running.remove("d:1");
    drained.look(running);
    assertThat(drained.dataNodes()).containsExactly(dataNode);
    Drained next = new Drained(store.drained());
    next.look(running);
    assertThat(next.dataNodes()).as("another master knows it, too").containsExactly(dataNode);
    store.drained().remove("d");
    drained.look(running);
    assertThat(drained.dataNodes()).isEmpty();
  }

  @Test
  void regionWaitsWhileTheDataNodesOfAllItsHoldersAreGone() throws Exception {
    for (String node : HOLDERS) {
      dataNodes.get(node).end();
    }
    assertThat(keep().note())
        .endsWith(
            "none of "
                + HOLDERS
                + " runs with its DataNode, which have its data: start one of them");
    dataNodes.put("b:1", SilentDataNode.start(dataNodes.get("b:1").socket().getLocalPort()));
    assertThat(keep().nodes()).containsExactly("b:1", "d:1");
  }

  /** Its region has no record yet; a first epoch there would begin an empty log. */
  @Test
  void regionWithoutARecordGetsNoFirstEpochWhileItsVolumeIsBeingRestored() throws Exception {
    store.deleteRrs(DISK.name(), 0);
    store.beginDelete(DISK.name(), false);
    store.finishDelete(DISK.name());
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.RESTORING));
    kept.keep(running);
    assertThat(store.rrs(DISK.name(), 0)).isEmpty();
    store.restoreVolume(DISK, 1);
    RrsRecord next = keep();
    assertThat(next.state()).isEqualTo(State.OPENING);
    assertThat(next.link().before()).isEqualTo(broken.link().signature());
  }

  /**
   * After a repair, the master makes all of a volume's records, and opens all epochs when it loses
   * a server. Together they do not fit into one step of ZooKeeper, which takes 1 MiB.
   */
  @Test
  @Timeout(300)
  void recordsOf2000RegionsAreMadeAndReplacedAfterARepair() throws Exception {
    VolumeSpec large = new VolumeSpec("large", 78, 4096, 4000, 2000, false, 1 << 27);
    store.restoreVolume(large, 17);
    List<RrsRecord.Member> members = members(HOLDERS);
    KeptVolume master =
        master(
            large,
            2,
            region -> {
              EpochLink link = EpochLink.first(large.regionId(region), 5, members, members, signer);
              return new EpochRegister(link, link, LogBefore.NONE);
            });
    try {
      master.keep(running);
      for (int r = 0; r < large.regionCount(); r++) {
        Versioned<RrsRecord> made = store.rrs(large.name(), r).orElseThrow();
        assertThat(made.value().epoch()).as("region %d", r).isEqualTo(6);
        store.replaceRrs(
            large.name(), r, made.version(), made.value().broken(Cause.FAILED, "a:1", "a test"));
      }
      running.remove("a:1");
      master.keep(running);
      for (int r = 0; r < large.regionCount(); r++) {
        RrsRecord next = store.rrs(large.name(), r).orElseThrow().value();
        assertThat(next.epoch()).as("region %d", r).isEqualTo(7);
        assertThat(next.nodes()).doesNotContain("a:1");
      }
    } finally {
      master.close();
    }
  }

  private void isMadeAnew(RrsRecord next) {
    assertThat(next.state()).isEqualTo(State.OPENING);
    assertThat(next.link().isGenuine(signer)).isTrue();
    assertThat(next.link().before()).isEqualTo(register.served().signature());
    assertThat(next.nodes()).isEqualTo(HOLDERS);
    assertThat(next.epoch()).isGreaterThan(register.newest().epoch());
    assertThat(next.history().replacements()).isEqualTo(Map.of(Cause.RECORD, 1));
  }

  @Test
  void aForgedRecordIsReplacedFromWhatTheNameNodeKnows() throws Exception {
    RrsRecord right = serving(6, HOLDERS);
    List<RrsRecord.Member> alone = members(List.of("d:1"));
    for (EpochLink forged :
        List.of(
            EpochLink.first(DISK.regionId(0), 9, alone, alone, new Signer(new byte[] {1})),
            EpochLink.first(DISK.regionId(1), 9, alone, alone, signer),
            EpochLink.first(DISK.regionId(0), 9, alone, alone, signer))) {
      takeOver(2);
      replace(right);
      assertThat(keep()).isEqualTo(right);
      replace(new RrsRecord(forged, State.SERVING, ""));
      isMadeAnew(keep());
    }
  }

  @Test
  void anOlderRecordThatIsPutBackIsReplacedFromWhatTheNameNodeKnows() throws Exception {
    RrsRecord older = serving(6, List.of("b:1", "c:1", "d:1"));
    EpochLink next = older.link().next(7, members(HOLDERS), signer);
    register = new EpochRegister(next, next, LogBefore.NONE);
    replace(older);
    isMadeAnew(keep());
  }

  @Test
  void aDeletedRecordIsMadeAgainFromWhatTheNameNodeKnows() throws Exception {
    replace(serving(6, HOLDERS));
    store.deleteRrs(DISK.name(), 0);
    isMadeAnew(keep());
  }

  @Test
  void nothingIsDoneWhileTheNameNodeCannotBeAsked() throws Exception {
    register = null;
    assertThat(keep()).isEqualTo(broken);
    store.deleteRrs(DISK.name(), 0);
    kept.keep(running);
    assertThat(store.rrs(DISK.name(), 0)).isEmpty();
  }

  /** Its directory was deleted. A new first epoch would begin an empty log. */
  @Test
  void aRegionThatHasServedWaitsWhereHdfsKnowsNoEpochOfIt() throws Exception {
    replace(serving(6, HOLDERS));
    EpochRegister was = register;
    register = EpochRegister.NONE;
    takeOver(2);
    RrsRecord waits = keep();
    assertThat(waits.state()).isEqualTo(State.BROKEN);
    assertThat(waits.note()).startsWith("epoch 6 has served: its files are gone");
    assertThat(keep()).isEqualTo(waits);
    register = was;
    takeOver(2);
    assertThat(keep().state()).isEqualTo(State.OPENING);
  }

  private void replace(RrsRecord record) throws IOException {
    store.replaceRrs(DISK.name(), 0, store.rrs(DISK.name(), 0).orElseThrow().version(), record);
  }

  @Test
  void whomAnOperatorPutsOutIsNoMemberOfTheNextEpochAndStaysAHolder() throws Exception {
    replace(serving(6, HOLDERS).broken(Cause.OPERATOR, "b:1", "an operator wanted b:1 out"));
    takeOver(2);
    RrsRecord next = keep();
    assertThat(next.nodes()).containsExactly("a:1", "c:1");
    assertThat(next.holders()).isEqualTo(HOLDERS);
    assertThat(next.note()).isEqualTo("an operator wanted b:1 out");
    assertThat(next.history().replacements()).containsEntry(Cause.OPERATOR, 1);
    assertThat(next.suspicions().failures()).isEmpty();
  }

  /**
   * Each master does one step of a replacement, and the next one looks at it again before anything
   * else happens.
   */
  @Test
  void aReplacementGoesOnWhereTheMasterBeforeStopped() throws Exception {
    List<String> two = List.of("b:1", "c:1");
    RrsRecord opening = keepByTwo();
    assertThat(List.of(opening.epoch(), opening.state(), opening.nodes()))
        .containsExactly(6, State.OPENING, two);
    serves(opening);
    RrsRecord joining = keepByTwo();
    assertThat(List.of(joining.epoch(), joining.state(), joining.nodes()))
        .containsExactly(6, State.SERVING, two);
    assertThat(joining.joining())
        .as("not the one that has just failed")
        .isEqualTo(new RrsRecord.Joining(members(List.of("d:1")).get(0), false));
    replace(joining.joining(joining.joining().member(), true));
    RrsRecord whole = keepByTwo();
    assertThat(List.of(whole.epoch(), whole.state(), whole.nodes()))
        .containsExactly(7, State.OPENING, List.of("b:1", "c:1", "d:1"));
    assertThat(whole.history().replacements()).isEqualTo(Map.of(Cause.FAILED, 1, Cause.JOINED, 1));
    assertThat(keepByTwo()).isEqualTo(whole);
    assertThat(serves(whole)).isEqualTo(keepByTwo());
  }

  /**
   * Returns what a new master makes of the volume. A second new master must make the same of it.
   */
  private RrsRecord keepByTwo() throws Exception {
    takeOver(2);
    RrsRecord first = keep();
    takeOver(2);
    assertThat(keep()).isEqualTo(first);
    return first;
  }

  @Test
  void aServerJoinsWhenItIsReady() throws Exception {
    List<String> two = List.of("b:1", "c:1");
    replace(serving(6, two));
    RrsRecord waits = keep();
    assertThat(waits.epoch()).isEqualTo(6);
    assertThat(waits.joining())
        .isEqualTo(new RrsRecord.Joining(members(List.of("a:1")).get(0), false));
    assertThat(keep()).as("it is not ready").isEqualTo(waits);
    running.put("0:1", running.get("d:1"));
    replace(waits.joining(waits.joining().member(), true));
    RrsRecord next = keep();
    assertThat(next.epoch()).isEqualTo(7);
    assertThat(next.nodes()).containsExactly("b:1", "c:1", "a:1");
  }

  /**
   * The session of the volume's writer says of the present epoch that members answer its mount
   * differently; the next epoch.
   */
  private RrsRecord afterADispute(int lane) throws IOException {
    int epoch = store.rrs(DISK.name(), 0).orElseThrow().value().epoch();
    try (WriterLease lease =
        store.acquireWriter(DISK, new WriterClaim("a test", "", false), () -> {})) {
      Accusation said =
          new Accusation(
              DISK.id(),
              0,
              epoch,
              lane,
              lease.mountEpoch(),
              Cause.DISAGREED,
              "says otherwise what the log holds");
      kept.hear(
          new ClusterReports.Heard(
              DISK.name(), 0, new AccusationRecord(said, said.sign(new Signer(new byte[0])))));
    }
    RrsRecord broken = store.rrs(DISK.name(), 0).orElseThrow().value();
    assertThat(broken.cause()).isEqualTo(Cause.DISAGREED);
    return keep();
  }

  @Test
  void whoAnswersAMountUnlikeTwoOthersIsReplaced() throws Exception {
    replace(serving(6, HOLDERS));
    assertThat(afterADispute(1).nodes()).containsExactly("a:1", "c:1", "d:1");
  }

  @Test
  void metricsTellOfEpochsReplacementsAccusationsAndMembers() throws Exception {
    replace(serving(6, List.of("b:1", "c:1")));
    afterADispute(0);
    keep();
    assertThat(PrometheusText.of(metrics))
        .contains("salus_epochs_opened_total{volume=\"disk\"} 1\n")
        .contains("salus_accusations_total{volume=\"disk\",result=\"counted\"} 1\n")
        .contains("salus_accusations_total{volume=\"disk\",result=\"refused\"} 0\n")
        .contains("salus_replacements_total{volume=\"disk\",cause=\"disagreed\"} 1\n")
        .contains("salus_replacements_total{volume=\"disk\",cause=\"gone\"} 0\n")
        .contains("salus_volume_regions{volume=\"disk\",state=\"opening\"} 1\n")
        .contains("salus_volume_regions{volume=\"disk\",state=\"serving\"} 0\n")
        .contains("salus_volume_missing_members{volume=\"disk\"} 0\n")
        .contains("salus_volume_regions_without_record{volume=\"disk\"} 0\n");
    replace(serving(9, List.of("b:1", "c:1")));
    keep();
    assertThat(PrometheusText.of(metrics))
        .contains("salus_volume_missing_members{volume=\"disk\"} 1\n");
    kept.close();
    assertThat(metrics.look()).isEmpty();
  }

  @Test
  void whereTwoAnswerAMountDifferentlyAThirdJoins() throws Exception {
    List<String> two = List.of("b:1", "c:1");
    replace(serving(6, two));
    assertThat(afterADispute(0).nodes()).hasSize(3).startsWith("b:1", "c:1");
  }

  @Test
  void serversThatStartTogetherAreWaitedFor() throws Exception {
    RrsRecord serving = serving(6, HOLDERS);
    replace(serving);
    ServerRecord first = running.remove("a:1");
    for (String node : List.of("b:1", "c:1")) {
      running.put(node, new ServerRecord("127.0.0.1", 7, running.get(node).dataNode(), 8, 0, ""));
    }
    assertThat(keep()).as("no process of the epoch is left").isEqualTo(serving);
    running.put("a:1", new ServerRecord("127.0.0.1", 7, first.dataNode(), 8, 0, ""));
    assertThat(keep().nodes()).containsExactlyElementsOf(HOLDERS);
  }

  /**
   * Neither of two has proved the other one wrong: also a master that was not there when they
   * complained lets none go on alone.
   */
  @Test
  void whatWasGuessedTheNextMasterKnows() throws Exception {
    List<String> two = List.of("a:1", "b:1");
    running.keySet().retainAll(two);
    takeOver(1);
    replace(serving(6, two).broken(Cause.STALLED, "b:1", "b:1 signs nothing"));
    RrsRecord next = keep();
    assertThat(next.epoch()).isEqualTo(7);
    assertThat(next.nodes()).as("nobody else can join").isEqualTo(two);
    takeOver(1);
    replace(next.broken(Cause.FAILED, "b:1", "b:1: its replica failed"));
    assertThat(keep().nodes()).isEqualTo(two);
  }

  @Test
  void anotherServerIsAskedWhenOneThatWasToJoinHasGone() throws Exception {
    List<String> two = List.of("b:1", "c:1");
    replace(serving(6, two));
    keep();
    running.remove("a:1");
    assertThat(keep().joining().member().node()).isEqualTo("d:1");
  }

  @Test
  @Timeout(60)
  void aMemberWhoseDataNodeIsDecommissionedLeaves() throws Exception {
    RrsRecord serving = serving(6, HOLDERS);
    replace(serving);
    String retiring = running.get("b:1").dataNode();
    reports = Map.of(retiring, new DataNodeReport(DataNodeState.DECOMMISSIONING, Long.MAX_VALUE));
    assertThat(keep()).as("the NameNode is not asked by the keeper").isEqualTo(serving);
    hdfs.refresh();
    while (hdfs.state(retiring, 0) != DataNodeState.DECOMMISSIONING) {
      Thread.onSpinWait();
    }
    RrsRecord asked = keep();
    assertThat(asked.joining().member().node()).isEqualTo("d:1");
    replace(asked.joining(asked.joining().member(), true));
    RrsRecord next = keep();
    assertThat(next.nodes()).containsExactly("a:1", "c:1", "d:1");
    assertThat(next.history().replacements()).containsEntry(Cause.RETIRED, 1);
    assertThat(next.note())
        .isEqualTo("d:1 joins, because the DataNode of b:1 is being decommissioned");
  }

  @Test
  void noEpochOpensWhileHdfsIsInSafeMode() throws Exception {
    safeMode = true;
    hdfs.refresh();
    while (hdfs.trouble().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(keep()).isEqualTo(broken);
    safeMode = false;
    while (hdfs.trouble().isPresent()) {
      hdfs.refresh();
    }
    assertThat(keep().state()).isEqualTo(State.OPENING);
  }

  @Test
  void aDataNodeWithoutRoomForASegmentIsFull() {
    reports = Map.of("dn", new DataNodeReport(DataNodeState.IN_SERVICE, DISK.segmentBytes()));
    hdfs.refresh();
    while (hdfs.state("dn", DISK.segmentBytes() + 1) != DataNodeState.FULL) {
      Thread.onSpinWait();
    }
    assertThat(hdfs.state("dn", DISK.segmentBytes())).isEqualTo(DataNodeState.IN_SERVICE);
    assertThat(hdfs.state("unknown", 1)).isEqualTo(DataNodeState.STALE);
  }

  /** Knows nothing of the regions. */
  private final Metrics metrics = new Metrics();

  private final class Master implements MasterContext, VolumeCatalogue {
    @Override
    public Metrics metrics() {
      return metrics;
    }

    @Override
    public String node() {
      return "";
    }

    @Override
    public String zookeeper() {
      return "";
    }

    @Override
    public Map<String, String> configuration() {
      return Map.of();
    }

    @Override
    public FaultHandler faults() {
      return (what, bug) -> {};
    }

    @Override
    public List<String> servers() {
      return List.of();
    }

    @Override
    public Map<Integer, List<String>> placement(String volume) {
      return Map.of();
    }

    @Override
    public void watchServers(Consumer<List<String>> watcher) {}

    @Override
    public Optional<Map<String, Integer>> replicas() {
      return Optional.empty();
    }

    @Override
    public HdfsReport hdfs() {
      return new HdfsReport(safeMode, true, reports, List.of());
    }

    @Override
    public VolumeCatalogue tables() {
      return this;
    }

    @Override
    public void create(String volume, int regions) {}

    @Override
    public void delete(String volume) {}

    @Override
    public List<String> list() {
      return List.of();
    }
  }
}
