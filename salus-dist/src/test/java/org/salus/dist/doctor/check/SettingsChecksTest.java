package org.salus.dist.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.dist.doctor.check.ScriptedCluster.jars;
import static org.salus.dist.doctor.check.ScriptedCluster.metrics;
import static org.salus.dist.doctor.check.ScriptedCluster.with;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.salus.core.Reason;
import org.salus.dist.doctor.check.Finding.Severity;
import org.salus.dist.doctor.cluster.InfoAnswer;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.need.Role;

/** {@link ChecksTest} for what daemons say of their settings, versions and secrets. */
class SettingsChecksTest extends OnScriptedCluster {
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

  // jars that HBase loads while it runs

  @Test
  void hbasesOwnDefaultsAreADirectoryInWhichEverybodyMayMakeFiles() throws IOException {
    cluster.set(Role.REGIONSERVER, "hbase.use.dynamic.jars", "");
    assertOne(
        new LoadedJarsCheck(),
        Severity.WARNING,
        "region server host1:16020 loads classes from /tmp/hbase-USER/local (hbase.local.dir)",
        "set hbase.use.dynamic.jars to false");
  }

  @ParameterizedTest
  @CsvSource({
    "hbase.local.dir, /tmp/hbase-hbase/local/",
    "hbase.local.dir, //tmp/hbase",
    "hbase.local.dir, file:/var/tmp/hbase",
    "hbase.local.dir, ${java.io.tmpdir}/hbase-hbase/local",
    "hbase.dynamic.jars.dir, hdfs://nn:8020/tmp/lib",
    "hbase.dynamic.jars.dir, file:///tmp"
  })
  void aDirectoryOfJarsInWhichEverybodyMayMakeFilesIsTold(String key, String dir)
      throws IOException {
    cluster.set(Role.MASTER, "hbase.use.dynamic.jars", "true");
    cluster.set(Role.MASTER, "hbase.local.dir", "/var/lib/hbase/local");
    cluster.set(Role.MASTER, "hbase.dynamic.jars.dir", "hdfs://nn:8020/hbase/lib");
    assertThat(look(new LoadedJarsCheck())).isEmpty();
    cluster.set(Role.MASTER, key, dir);
    assertOne(new LoadedJarsCheck(), Severity.WARNING, "loads classes from " + dir, key);
    cluster.set(Role.MASTER, "hbase.use.dynamic.jars", "false");
    assertThat(look(new LoadedJarsCheck())).isEmpty();
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
}
