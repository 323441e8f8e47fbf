package org.salus.dist.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.dist.doctor.check.ScriptedCluster.NOW;
import static org.salus.dist.doctor.check.ScriptedCluster.scrub;
import static org.salus.dist.doctor.check.ScriptedCluster.silent;
import static org.salus.dist.doctor.check.ScriptedCluster.volume;
import static org.salus.dist.doctor.check.ScriptedCluster.with;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.VolumeInfo;
import org.salus.core.Reason;
import org.salus.dist.doctor.check.Finding.Severity;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.InfoAnswer;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;
import org.salus.dist.doctor.cluster.Role;
import org.salus.dist.doctor.cluster.SalusServer;

/** Each check finds what it looks for, on a cluster of which one thing is broken. */
class ChecksTest {
  private static final long GIB = 1L << 30;

  private final ScriptedCluster cluster = new ScriptedCluster();

  /** The findings, as lines that begin with the severity. */
  private List<String> look(Check check) throws IOException {
    return check.look(cluster).stream()
        .map(f -> f.severity() + " " + f.what() + " -> " + f.wayOut())
        .toList();
  }

  private void assertOne(Check check, Severity severity, String... words) throws IOException {
    List<String> found = look(check);
    assertThat(found).hasSize(1);
    assertThat(found.get(0)).startsWith(severity + " ").contains(words);
  }

  @Test
  void aHealthyClusterHasNoFinding() throws IOException {
    for (Check check : Checks.ALL) {
      assertThat(check.look(cluster)).as(check.name()).allMatch(f -> f.severity() == Severity.NOTE);
    }
    assertThat(Checks.ALL.stream().map(Check::name)).doesNotHaveDuplicates();
  }

  // volumes

  @ParameterizedTest
  @ValueSource(strings = {"degraded", "unavailable"})
  void aVolumeThatIsNotHealthyIsToldWithItsReason(String health) throws IOException {
    cluster.volumes.set(0, volume(health, "region 0 is BROKEN"));
    assertOne(
        new VolumesCheck(),
        Severity.PROBLEM,
        "volume disk is " + health + ": region 0 is BROKEN",
        "salus volume info disk");
  }

  @Test
  void aBadReplicaIsToldUntilItIsRepaired() throws IOException {
    cluster.volumes.set(
        0,
        volume("healthy", "", new VolumeInfo.Finding(NOW, "host1:16020", "/salus/x", false, "?")));
    assertOne(new VolumesCheck(), Severity.PROBLEM, "host1:16020", "/salus/x");
    cluster.volumes.set(
        0,
        volume("healthy", "", new VolumeInfo.Finding(NOW, "host1:16020", "/salus/x", true, "?")));
    assertThat(look(new VolumesCheck())).isEmpty();
  }

  // guard

  @Test
  void anUnguardedActiveNameNodeIsToldInTheWordsOfServers() throws IOException {
    cluster.nameNodes.set(0, new NameNode("nn1:8020", "active", Guard.ABSENT, "", null));
    assertOne(new GuardCheck(), Severity.PROBLEM, "nn1:8020", Reason.unguarded().words());
  }

  @Test
  void anUnguardedStandbyIsToldBeforeItIsActive() throws IOException {
    cluster.nameNodes.set(1, new NameNode("nn2:8020", "standby", Guard.ABSENT, "", null));
    assertOne(new GuardCheck(), Severity.PROBLEM, "nn2:8020 (standby)", "fail-over", "GuardPlugin");
  }

  @Test
  void aSilentNameNodeIsNotTakenForGuarded() throws IOException {
    cluster.nameNodes.set(1, new NameNode("nn2:8020", "", Guard.UNKNOWN, "no answer", null));
    assertOne(new GuardCheck(), Severity.PROBLEM, "nn2:8020", "no answer");
  }

  @Test
  void twoStandbysAreToldAsNoActiveOne() throws IOException {
    cluster.nameNodes.set(0, new NameNode("nn1:8020", "standby", Guard.PRESENT, "", null));
    assertOne(new GuardCheck(), Severity.PROBLEM, "no NameNode is active");
  }

  // hdfs

  @Test
  void safeModeAndLostDirectoriesOfTheNameNodeAreTold() throws IOException {
    safeMode("nn1:8020", List.of("/a"));
    assertThat(look(new HdfsCheck()))
        .hasSize(2)
        .anyMatch(
            l ->
                l.startsWith("PROBLEM " + Reason.SAFE_MODE.words() + ": Safe mode is ON. By hand.")
                    && l.contains("-> start the DataNodes that are missing and wait; "))
        .anyMatch(l -> l.contains("/a") && l.contains("restoreFailedStorage"));
  }

  private void safeMode(String nameNode, List<String> lost) {
    cluster.hdfs =
        new HdfsState(nameNode, "Safe mode is ON. By hand.", lost, cluster.hdfs.dataNodes());
  }

  @Test
  void theSafeModeOfAStandbyIsNotThatOfHdfs() throws IOException {
    safeMode("nn2:8020", List.of());
    assertThat(look(new HdfsCheck())).isEmpty();
    cluster.nameNodes.set(1, new NameNode("nn2:8020", "", Guard.UNKNOWN, "no answer", null));
    assertOne(new HdfsCheck(), Severity.PROBLEM, Reason.SAFE_MODE.words());
  }

  // pairs

  @Test
  void dataNodesThatVolumesDoNotUseAreOneNote() throws IOException {
    cluster.servers.remove(0);
    cluster.daemons.removeIf(d -> d.node().equals("host1:16020"));
    List<DataNode> nodes = new ArrayList<>(cluster.hdfs.dataNodes());
    DataNode n = nodes.get(0);
    nodes.add(other(n, "10.0.0.8:9866", false, "In Service"));
    nodes.add(other(n, "10.0.0.9:9866", false, "Decommissioned"));
    cluster.hdfs = new HdfsState("nn1:8020", "", List.of(), nodes);
    cluster.ips.put("10.0.0.8", "");
    assertThat(look(new PairsCheck()))
        .hasSize(2)
        .anyMatch(l -> l.startsWith("WARNING only 3 region servers"))
        .contains(
            "NOTE volumes do not use these DataNodes: 10.0.0.1:9866 (no region server with Salus"
                + " beside it), 10.0.0.8:9866 (dead), 10.0.0.9:9866 (Decommissioned) -> ");
    assertThat(look(new NamesCheck())).isEmpty();
  }

  /** Another one. Its host has no other name than its address. */
  private static DataNode other(DataNode n, String transfer, boolean live, String state) {
    return new DataNode(
        Hosts.of(transfer), transfer, "", live, state, 1, n.capacity(), n.remaining());
  }

  @Test
  void aDeadDataNodeThatAnOperatorHasTakenOutIsNoProblem() throws IOException {
    cluster.dataNode(0, n -> other(n, n.transfer(), false, "Decommissioned"));
    assertThat(look(new PairsCheck()))
        .hasSize(2)
        .anyMatch(l -> l.startsWith("WARNING only 3 region servers"))
        .anyMatch(l -> l.startsWith("NOTE") && l.contains("10.0.0.1:9866 (Decommissioned)"));
  }

  @Test
  void drainedServersDoNotCountAndAreANote() throws IOException {
    SalusServer s = cluster.servers.get(0);
    cluster.servers.set(0, new SalusServer(s.node(), s.address(), s.dataNode(), "", false, true));
    assertThat(look(new PairsCheck()))
        .hasSize(2)
        .anyMatch(l -> l.startsWith("WARNING only 3 region servers"))
        .anyMatch(l -> l.startsWith("NOTE") && l.contains("drained") && l.contains(s.node()));
  }

  @Test
  void fewerThanThreeUsablePairsAreAProblem() throws IOException {
    cluster.dataNode(0, n -> state(n, "Decommission In Progress", 1));
    cluster.dataNode(1, n -> state(n, "In Service", 31));
    assertThat(look(new PairsCheck()))
        .hasSize(3)
        .anyMatch(l -> l.startsWith("NOTE") && l.contains("10.0.0.1:9866 (Decommission In Prog"))
        .anyMatch(l -> l.startsWith("WARNING the NameNode has not heard DataNode 10.0.0.2:9866"))
        .anyMatch(l -> l.startsWith("PROBLEM only 2 region servers"));
  }

  private static DataNode state(DataNode n, String state, long silent) {
    return new DataNode(
        n.host(), n.transfer(), n.info(), true, state, silent, n.capacity(), n.remaining());
  }

  @Test
  void aServerThatNamesAnotherDataNodeThanItsOwnIsTold() throws IOException {
    SalusServer s = cluster.servers.get(0);
    cluster.servers.set(
        0, new SalusServer(s.node(), s.address(), "10.9.9.9:9866", "", false, false));
    assertThat(look(new PairsCheck()))
        .anyMatch(l -> l.startsWith("PROBLEM") && l.contains("10.9.9.9:9866"));
    cluster.servers.set(
        0, new SalusServer(s.node(), s.address(), "10.0.0.2:9866", "", false, false));
    assertThat(look(new PairsCheck()))
        .anyMatch(l -> l.startsWith("PROBLEM") && l.contains("share DataNode 10.0.0.2:9866"));
  }

  @Test
  void aRegionServerWithoutSalusAndADeadDataNodeAreTold() throws IOException {
    cluster.servers.remove(0);
    cluster.dataNode(
        1,
        n ->
            new DataNode(
                n.host(), n.transfer(), "", false, n.state(), 900, n.capacity(), n.remaining()));
    assertThat(look(new PairsCheck()))
        .anyMatch(l -> l.startsWith("PROBLEM region server host1:16020 runs, but Salus does not"))
        .anyMatch(l -> l.startsWith("PROBLEM the DataNode 10.0.0.2:9866 beside"));
  }

  // master

  @Test
  void aMasterThatIsAwayOrWithoutSalusOrInTroubleIsTold() throws IOException {
    cluster.change(
        Role.MASTER,
        true,
        d -> with(d, a -> metrics(a, Map.of("salus_trouble{kind=\"quota\"}", 1.0))));
    assertThat(look(new MasterCheck()))
        .hasSize(2)
        .anyMatch(l -> l.startsWith("PROBLEM") && l.contains("shows no metrics of Salus"))
        .anyMatch(l -> l.contains("should do: quota"));
    cluster.daemons.removeIf(d -> d.role() == Role.MASTER);
    assertOne(new MasterCheck(), Severity.PROBLEM, "no HBase master is active");
  }

  @Test
  void aPageOfTheMasterThatCannotBeReadIsAWarningWithTheCause() throws IOException {
    cluster.change(
        Role.MASTER,
        true,
        d ->
            with(
                d,
                a ->
                    new InfoAnswer(
                        a.settings(),
                        a.classPath(),
                        a.user(),
                        a.ahead(),
                        a.uncertain(),
                        Map.of(),
                        "HTTP status 500")));
    assertOne(new MasterCheck(), Severity.WARNING, "cannot be known: HTTP status 500");
  }

  @Test
  void anActiveMasterWithoutInfoServerIsAProblem() throws IOException {
    cluster.change(
        Role.MASTER,
        true,
        d -> new Daemon(d.role(), d.node(), "", true, null, "it has no info server"));
    assertOne(
        new MasterCheck(),
        Severity.PROBLEM,
        "whether HBase master master:16000 looks after volumes cannot be known",
        "hbase.master.info.port");
  }

  private static InfoAnswer metrics(InfoAnswer a, Map<String, Double> metrics) {
    return new InfoAnswer(
        a.settings(), a.classPath(), a.user(), a.ahead(), a.uncertain(), metrics, "");
  }

  // answers, names, ports

  @ParameterizedTest
  @EnumSource(Role.class)
  void aDaemonThatHangsIsToldAndFailsNoOtherCheck(Role role) throws IOException {
    cluster.change(role, true, d -> silent(d, "no answer within 5 s"));
    assertOne(new AnswersCheck(), Severity.PROBLEM, role.words(), "no answer within 5 s");
    for (Check check : Checks.ALL) {
      if (!(check instanceof AnswersCheck)) {
        assertThat(check.look(cluster))
            .as(check.name())
            .allMatch(f -> f.severity() == Severity.NOTE);
      }
    }
  }

  @Test
  void aDaemonWithoutInfoServerIsAWarning() throws IOException {
    cluster.change(
        Role.REGIONSERVER,
        true,
        d -> new Daemon(d.role(), d.node(), "", false, null, "it has no info server"));
    assertOne(new AnswersCheck(), Severity.WARNING, "hbase.regionserver.info.port");
  }

  @Test
  void aNameWithoutAddressAndAPortThatIsClosedAreTold() throws IOException {
    cluster.ips.put("host3", "");
    assertOne(new NamesCheck(), Severity.PROBLEM, "the name host3 of ");
    cluster.unreachable.put("host3:16040", "Connection refused");
    assertOne(
        new PortsCheck(),
        Severity.PROBLEM,
        "data port of region server host3:16020 host3:16040 cannot be reached: Connection refused");
  }

  // versions

  @Test
  void mixedVersionsAreTold() throws IOException {
    cluster.change(Role.DATANODE, true, d -> with(d, a -> jars(a, "salus-core-2.0.jar")));
    assertOne(
        new VersionsCheck(),
        Severity.PROBLEM,
        "1.0 of NameNode nn1:8020, ",
        "2.0 of DataNode 10.0.0.1:9866");
    cluster.change(
        Role.DATANODE,
        true,
        d -> with(d, a -> jars(a, "salus-core-1.0.jar", "hadoop-common-3.3.0.jar")));
    assertOne(new VersionsCheck(), Severity.WARNING, "versions of Hadoop", "3.3.0 of DataNode");
    cluster.change(Role.DATANODE, true, d -> with(d, a -> jars(a, "hadoop-common-3.4.3.jar")));
    assertOne(new VersionsCheck(), Severity.PROBLEM, "DataNode 10.0.0.1:9866 has no jar of Salus");
  }

  private static InfoAnswer jars(InfoAnswer a, String... jars) {
    return new InfoAnswer(
        a.settings(), List.of(jars), a.user(), a.ahead(), a.uncertain(), a.metrics(), "");
  }

  // keys

  @ParameterizedTest
  @CsvSource({
    "NAMENODE, salus.namenode.guard.class, '', PROBLEM",
    "NAMENODE, dfs.block.replicator.classname, a.B, PROBLEM",
    "DATANODE, dfs.datanode.fsdataset.factory, '', PROBLEM",
    "DATANODE, dfs.data.transfer.protection, privacy, PROBLEM",
    "DATANODE, dfs.encrypt.data.transfer, true, PROBLEM",
    "MASTER, hbase.coprocessor.master.classes, a.B, PROBLEM",
    "MASTER, salus.master.host.class, '', PROBLEM",
    "MASTER, hbase.master.loadbalancer.class, '', WARNING",
    "MASTER, hbase.master.scp.retain.assignment, false, WARNING",
    "MASTER, hbase.http.filter.initializers, '', WARNING",
    "MASTER, salus.rrs.min-members, 1, WARNING",
    "REGIONSERVER, hbase.coprocessor.regionserver.classes, a.B, PROBLEM",
    "REGIONSERVER, hbase.coprocessor.user.region.classes, '', PROBLEM",
    "REGIONSERVER, salus.regionserver.host.class, '', PROBLEM",
    "REGIONSERVER, hbase.http.filter.initializers, a.B, WARNING"
  })
  void aSettingThatSalusNeedsIsMissed(Role role, String key, String value, Severity severity)
      throws IOException {
    cluster.set(role, key, value);
    assertOne(
        new KeysCheck(), severity, role.words(), key + (value.isEmpty() ? " not set" : " = "));
  }

  // agreement

  @ParameterizedTest
  @CsvSource({
    "REGIONSERVER, salus.rrs.min-members, 3",
    "REGIONSERVER, salus.scrub.rate, 5m",
    "REGIONSERVER, hbase.wal.hsync, false",
    "DATANODE, dfs.datanode.synconclose, ''"
  })
  void aSettingThatDiffersIsTold(Role role, String key, String value) throws IOException {
    cluster.set(role, key, value);
    assertOne(new AgreementCheck(), Severity.WARNING, key + " differs");
  }

  @Test
  void settingsOfOneServerMayDiffer() throws IOException {
    cluster.set(Role.REGIONSERVER, "salus.server.port", "16041");
    cluster.set(Role.REGIONSERVER, "salus.server.datanode", "10.0.0.1:9866");
    assertThat(look(new AgreementCheck())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "NAMENODE, salus.zookeeper.quorum, ''",
    "NAMENODE, salus.zookeeper.quorum, zk:2182",
    "DATANODE, salus.zookeeper.quorum, other:2181",
    "MASTER, hbase.zookeeper.property.clientPort, 2182"
  })
  void anotherZooKeeperIsAProblem(Role role, String key, String value) throws IOException {
    cluster.set(role, key, value);
    assertOne(
        new AgreementCheck(), Severity.PROBLEM, "daemons differ: ", "zk:2181 at ", role.words());
  }

  @Test
  void aDaemonThatKnowsOtherServersOfOneZooKeeperIsAWarning() throws IOException {
    cluster.set(Role.REGIONSERVER, "hbase.zookeeper.quorum", "zk,other");
    assertOne(
        new AgreementCheck(),
        Severity.WARNING,
        "hbase.zookeeper.quorum = zk:2181,other:2181 at region server host1:16020");
  }

  @Test
  void thisProgramMayKnowFewerServersOfZooKeeperThanDaemons() throws IOException {
    for (Role role : Role.values()) {
      cluster.change(
          role,
          false,
          d ->
              with(
                  d,
                  a -> {
                    Map<String, String> settings = new HashMap<>(a.settings());
                    settings.replace("hbase.zookeeper.quorum", "zk,zk2,zk3");
                    settings.replace("salus.zookeeper.quorum", "zk3:2181,zk2:2181,zk:2181/salus");
                    return settings(a, settings);
                  }));
    }
    assertThat(look(new AgreementCheck())).isEmpty();
    cluster.zookeeper = "zk2:2181/salus";
    assertThat(look(new AgreementCheck())).isEmpty();
    cluster.zookeeper = "zk2:2181,old:2181";
    assertOne(new AgreementCheck(), Severity.WARNING, "told ZooKeeper is at zk2:2181,old:2181");
    cluster.zookeeper = "old:2181";
    assertOne(new AgreementCheck(), Severity.PROBLEM, "told ZooKeeper is at old:2181");
  }

  private static InfoAnswer settings(InfoAnswer a, Map<String, String> settings) {
    return new InfoAnswer(
        settings, a.classPath(), a.user(), a.ahead(), a.uncertain(), a.metrics(), "");
  }

  @Test
  void oneZooKeeperMayHaveSeveralNames() throws IOException {
    cluster.ips.put("alias", "10.0.0.9");
    cluster.ips.put("nn1", "10.0.0.9");
    cluster.set(Role.REGIONSERVER, "hbase.zookeeper.quorum", "alias");
    cluster.set(Role.NAMENODE, "salus.zookeeper.quorum", "localhost:2181"); // that of nn1
    assertThat(look(new AgreementCheck())).isEmpty();
  }

  // secret

  @Test
  void anEmptySecretIsTold() throws IOException {
    cluster.servers.replaceAll(
        s -> new SalusServer(s.node(), s.address(), s.dataNode(), s.strange(), true, false));
    assertOne(new SecretCheck(), Severity.WARNING, "the servers have no salus.secret");
  }

  @Test
  void aSecretThatDiffersOrIsMissingIsTold() throws IOException {
    SalusServer s = cluster.servers.get(0);
    cluster.servers.set(
        0,
        new SalusServer(
            s.node(), s.address(), s.dataNode(), Reason.OTHER_SECRET.words(), false, false));
    assertOne(
        new SecretCheck(),
        Severity.PROBLEM,
        "region server host1:16020 has another salus.secret than this program");
    cluster.servers.set(0, s);
    cluster.set(Role.NAMENODE, "salus.secret", "");
    assertOne(new SecretCheck(), Severity.PROBLEM, "NameNode nn1:8020 has no salus.secret");
  }

  @Test
  void aSecretOfThisProgramOnlyIsOneLineAndNothingAboutPairs() throws IOException {
    cluster.servers.replaceAll(
        s ->
            new SalusServer(
                s.node(), s.address(), s.dataNode(), Reason.OTHER_SECRET.words(), false, false));
    assertOne(
        new SecretCheck(),
        Severity.PROBLEM,
        "this program's salus.secret is not that of the servers");
    assertThat(look(new PairsCheck())).isEmpty();
    SalusServer s = cluster.servers.get(0);
    cluster.servers.set(0, new SalusServer(s.node(), s.address(), s.dataNode(), "", false, false));
    assertThat(look(new SecretCheck())).hasSize(3).allMatch(l -> l.contains("region server"));
    assertThat(look(new PairsCheck())).hasSize(1).allMatch(l -> l.contains("only 1 region server"));
  }

  @Test
  void serversThatTheMasterLeavesOutAreTold() throws IOException {
    cluster.change(
        Role.MASTER,
        true,
        d -> with(d, a -> metrics(a, Map.of("salus_servers{state=\"strange\"}", 1.0))));
    assertOne(new SecretCheck(), Severity.PROBLEM, "leaves out region servers");
  }

  // directory

  @ParameterizedTest
  @CsvSource({
    "hbase, 0755, false, 'mode 0755'",
    "hbase, 0700, true, 'access control list'",
    "alice, 0700, false, 'belongs to alice, but region servers run as hbase'"
  })
  void aDirectoryOfVolumesThatOthersMayReadIsTold(
      String owner, String mode, boolean listed, String words) throws IOException {
    directory(new NameNode.Directory(owner, mode, listed));
    assertOne(new DirectoryCheck(), Severity.PROBLEM, words);
  }

  @Test
  void noDirectoryAndNoPermissionsAreWarnings() throws IOException {
    directory(null);
    assertOne(new DirectoryCheck(), Severity.WARNING, "there is no /salus");
    directory(new NameNode.Directory("hbase", "0700", false));
    cluster.set(Role.NAMENODE, "dfs.permissions.enabled", "false");
    assertOne(new DirectoryCheck(), Severity.WARNING, "checks no permissions");
  }

  private void directory(NameNode.Directory directory) {
    cluster.nameNodes.set(0, new NameNode("nn1:8020", "active", Guard.PRESENT, "", directory));
  }

  @Test
  void namesOfKerberosAreNotComparedWithUsersOfTheSystem() throws IOException {
    directory(new NameNode.Directory("principal", "0700", false));
    cluster.change(
        Role.REGIONSERVER,
        false,
        d ->
            with(
                d,
                a -> {
                  Map<String, String> settings = new HashMap<>(a.settings());
                  settings.put("hadoop.security.authentication", "kerberos");
                  return new InfoAnswer(
                      settings, a.classPath(), "carol", a.ahead(), a.uncertain(), a.metrics(), "");
                }));
    assertThat(look(new DirectoryCheck())).isEmpty();
    assertThat(look(new LocalReadsCheck())).isEmpty();
  }

  // local reads

  @Test
  void aDataNodeThatLetsItsServerNotReadIsTold() throws IOException {
    cluster.set(Role.DATANODE, "dfs.block.local-path-access.user", "other");
    assertOne(new LocalReadsCheck(), Severity.PROBLEM, "10.0.0.1:9866", "runs as hbase");
  }

  @Test
  void aServerWithoutJnaIsTold() throws IOException {
    cluster.change(Role.REGIONSERVER, true, d -> with(d, a -> jars(a, "salus-core-1.0.jar")));
    assertOne(new LocalReadsCheck(), Severity.WARNING, "host1:16020 has no jna");
  }

  // space

  @Test
  void littleSpaceIsTold() throws IOException {
    cluster.dataNode(0, n -> remaining(n, 9 * GIB));
    cluster.dataNode(1, n -> remaining(n, 2 * GIB));
    assertThat(look(new SpaceCheck()))
        .hasSize(3)
        .anyMatch(l -> l.startsWith("WARNING DataNode 10.0.0.1:9866 has room for 9.0 GiB of 100.0"))
        .anyMatch(l -> l.startsWith("PROBLEM DataNode 10.0.0.2:9866 has room for 2.0 GiB"))
        // 60 + 60 + 9 + 2 GiB, three replicas, twice the blocks
        .anyMatch(l -> l.startsWith("NOTE there is room for about 21.8 GiB"));
  }

  @Test
  void spaceThatVolumesDoNotUseDoesNotCount() throws IOException {
    cluster.dataNode(0, n -> remaining(other(n, n.transfer(), true, "Decommissioned"), GIB));
    cluster.dataNode(1, n -> remaining(n, GIB));
    cluster.servers.remove(1);
    // 60 + 60 GiB, three replicas, twice the blocks
    assertOne(new SpaceCheck(), Severity.NOTE, "there is room for about 20.0 GiB");
  }

  private static DataNode remaining(DataNode n, long bytes) {
    return new DataNode(n.host(), n.transfer(), n.info(), true, n.state(), 1, n.capacity(), bytes);
  }

  // power cuts

  @ParameterizedTest
  @CsvSource({
    "DATANODE, dfs.datanode.synconclose, ''",
    "REGIONSERVER, hbase.wal.hsync, ''",
    "MASTER, hbase.master.store.region.wal.hsync, false",
    "NAMENODE, dfs.namenode.edits.noeditlogchannelflush, true"
  })
  void aSettingThatAPowerCutNeedsIsMissed(Role role, String key, String value) throws IOException {
    cluster.set(role, key, value);
    assertOne(new PowerCutsCheck(), Severity.WARNING, key + " is not ", role.words());
  }

  // scrub

  @Test
  void anOldScrubIsTold() throws IOException {
    Check check = new ScrubCheck(() -> NOW);
    cluster.volumes.set(0, volume("healthy", "", scrub("host1:16020", Duration.ofHours(71))));
    assertThat(look(check)).isEmpty();
    cluster.volumes.set(0, volume("healthy", "", scrub("host1:16020", Duration.ofHours(73))));
    assertOne(check, Severity.WARNING, "host1:16020 ended 73 h ago", "interval is 24 h");
    cluster.set(Role.REGIONSERVER, "salus.scrub.rate", "0");
    assertOne(check, Severity.WARNING, "salus.scrub.rate is 0");
  }

  // clocks

  @ParameterizedTest
  @CsvSource({"3.9, 0.5, 'ahead of'", "-3.1, 0.5, behind", "2.6, 0.5, ''", "9, 8, ''"})
  void aClockThatDiffersForCertainIsTold(double ahead, double uncertain, String words)
      throws IOException {
    cluster.change(
        Role.REGIONSERVER,
        true,
        d ->
            with(
                d,
                a ->
                    new InfoAnswer(
                        a.settings(), a.classPath(), a.user(), ahead, uncertain, a.metrics(), "")));
    if (words.isEmpty()) {
      assertThat(look(new ClocksCheck())).isEmpty();
    } else {
      assertOne(new ClocksCheck(), Severity.WARNING, "the clock of host1 is", words);
    }
  }

  @Test
  void whatIsNotKnownOfHdfsFailsOnlyWhatNeedsIt() {
    cluster.hdfsUnknown = true;
    List<String> failed = new ArrayList<>();
    for (Check check : Checks.ALL) {
      try {
        check.look(cluster);
      } catch (IOException unknown) {
        failed.add(check.name());
      }
    }
    assertThat(failed).containsExactly("hdfs", "pairs", "space");
  }
}
