package org.salus.dist.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.dist.doctor.check.ScriptedCluster.NOW;
import static org.salus.dist.doctor.check.ScriptedCluster.jars;
import static org.salus.dist.doctor.check.ScriptedCluster.metrics;
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
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.need.Role;

/** Each check finds what it looks for, on a cluster of which one thing is broken. */
class ChecksTest extends OnScriptedCluster {
  private static final long GIB = 1L << 30;

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
