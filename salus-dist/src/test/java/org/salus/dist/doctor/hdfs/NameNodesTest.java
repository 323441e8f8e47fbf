package org.salus.dist.doctor.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;

class NameNodesTest {
  private static final int LIMIT = 2_000;
  private static final Map<String, String> PAIR =
      Map.of(
          "hbase.rootdir",
          "hdfs://ns/hbase",
          "dfs.nameservices",
          "ns",
          "dfs.ha.namenodes.ns",
          "a,b",
          "dfs.namenode.rpc-address.ns.a",
          "127.0.0.2:8021",
          "dfs.namenode.rpc-address.ns.b",
          "127.0.0.3:8021",
          "dfs.namenode.http-address.ns.a",
          "127.0.0.4:9999",
          "dfs.namenode.http-address.ns.b",
          "0.0.0.0:9999");

  @Test
  void findsBothNameNodesOfAService() throws Exception {
    assertThat(new NameNodes(PAIR, LIMIT).addresses())
        .extracting(NameNodes.Address::node, NameNodes.Address::info)
        .containsExactlyInAnyOrder(
            tuple("127.0.0.2:8021", "127.0.0.4:9999"), tuple("127.0.0.3:8021", "127.0.0.3:9999"));
  }

  @Test
  void findsTheOnlyNameNodeWithDefaultPorts() throws Exception {
    assertThat(new NameNodes(Map.of("hbase.rootdir", "hdfs://127.0.0.2/hbase"), LIMIT).addresses())
        .extracting(NameNodes.Address::node, NameNodes.Address::info)
        .containsExactly(tuple("127.0.0.2:8020", "127.0.0.2:9870"));
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> new NameNodes(Map.of("hbase.rootdir", "file:///x"), LIMIT))
        .hasMessageContaining("no setting says where HDFS is");
    assertThatThrownBy(
            () ->
                new NameNodes(
                    Map.of("hbase.rootdir", "hdfs://ns/hbase", "dfs.nameservices", "ns"), LIMIT))
        .hasMessageContaining("no setting says which NameNodes ns has");
  }

  @Test
  void takesOverOnlyWhatItNeedsToAskANameNode() {
    assertThat(
            List.of(
                "hadoop.security.authentication",
                "hadoop.security.auth_to_local",
                "hadoop.security.token.service.use_ip",
                "dfs.namenode.kerberos.principal",
                "dfs.ha.namenodes.ns"))
        .allMatch(NameNodes::isNeeded);
    assertThat(
            List.of(
                "hadoop.security.group.mapping",
                "hadoop.security.credential.provider.path",
                "hadoop.security.dns.interface"))
        .noneMatch(NameNodes::isNeeded);
  }

  @Test
  void aNameNodeThatIsAwayIsNotTakenForGuarded() throws Exception {
    NameNodes away = new NameNodes(Map.of("hbase.rootdir", "hdfs://127.0.0.1:1/hbase"), LIMIT);
    NameNode said = away.ask(away.addresses().get(0));
    assertThat(said.guard()).isEqualTo(Guard.UNKNOWN);
    assertThat(said.silence()).isEqualTo("connection refused");
  }

  @Test
  void otherWordsOfAStandbyShowNoGuard() {
    assertThat(NameNodes.guardOfStandby(null)).isEqualTo(Guard.UNKNOWN);
    assertThat(NameNodes.guardOfStandby("not now")).isEqualTo(Guard.UNKNOWN);
  }
}
