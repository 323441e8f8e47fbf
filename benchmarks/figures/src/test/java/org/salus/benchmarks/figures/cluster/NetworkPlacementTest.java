package org.salus.benchmarks.figures.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.figures.network.NetworkMaker.Host;
import org.salus.benchmarks.figures.network.Traffic;
import org.salus.dist.hbase.Daemon;

class NetworkPlacementTest {
  private final NetworkPlacement hosts = new NetworkPlacement("salus-1-2-");

  @Test
  void serversAreWhereTheirAddressesAreAndTheMastersAreOnAHostOfTheirOwn() {
    Map<String, Host> all = NetworkPlacement.all(100, 1000);
    for (int i = 0; i < NetworkPlacement.SERVERS; i++) {
      assertThat(hosts.on(Daemon.REGIONSERVER, i))
          .isEqualTo(hosts.on(Daemon.DATANODE, i))
          .endsWith("salus-1-2-server" + i);
      assertThat(all).containsEntry("server" + i, new Host(hosts.addresses().server(i), 100));
    }
    assertThat(
            Stream.of(Daemon.ZOOKEEPER, Daemon.NAMENODE, Daemon.MASTER)
                .map(role -> hosts.on(role, -1)))
        .containsOnly(List.of("ip", "netns", "exec", "salus-1-2-main"));
    assertThat(all)
        .containsEntry("main", new Host(hosts.addresses().main(), 1000))
        .containsKey("client");
    assertThat(hosts.onClient()).endsWith("salus-1-2-client");
    assertThat(all.values().stream().map(Host::address)).doesNotHaveDuplicates();
  }

  @Test
  void whatServersSentIsTheirsAlone() {
    Map<String, Long> sent =
        new TreeMap<>(
            Map.of(
                "server0", 1L, "server1", 20L, "server2", 300L, "client", 4000L, "main", 50_000L));
    assertThat(NetworkPlacement.sentByServers(new Traffic(sent, Map.of(), 0))).isEqualTo(321);
  }
}
