package org.salus.benchmarks.figures.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;
import org.salus.benchmarks.figures.network.Traffic;
import org.salus.dist.hbase.Daemon;

class NetworkPlacementTest {
  private final NetworkPlacement machines = new NetworkPlacement("salus-1-2-");

  @Test
  void serversAreWhereTheirAddressesAreAndTheMastersAreOnAHostOfTheirOwn() {
    Map<String, LinkedMachine> all = NetworkPlacement.all(100, 1000);
    for (int i = 0; i < NetworkPlacement.SERVERS; i++) {
      assertThat(machines.on(Daemon.REGIONSERVER, i))
          .isEqualTo(machines.on(Daemon.DATANODE, i))
          .endsWith("salus-1-2-server" + i);
      assertThat(all)
          .containsEntry("server" + i, new LinkedMachine(machines.addresses().server(i), 100));
    }
    assertThat(
            Stream.of(Daemon.ZOOKEEPER, Daemon.NAMENODE, Daemon.MASTER)
                .map(role -> machines.on(role, -1)))
        .containsOnly(List.of("ip", "netns", "exec", "salus-1-2-main"));
    assertThat(all)
        .containsEntry("main", new LinkedMachine(machines.addresses().main(), 1000))
        .containsKey("client");
    assertThat(machines.onClient()).endsWith("salus-1-2-client");
    assertThat(all.values().stream().map(LinkedMachine::address)).doesNotHaveDuplicates();
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
