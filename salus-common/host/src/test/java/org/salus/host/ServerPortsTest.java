package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerPortsTest {
  private static final String ADDRESS = "127.0.0.1";

  @Test
  void aPortIsTakenUntilItsSocketIsClosed() throws Exception {
    int port;
    try (ServerSocket one = ServerPorts.OTHERS.take(ADDRESS);
        ServerSocket other = ServerPorts.OTHERS.take(ADDRESS)) {
      port = one.getLocalPort();
      assertThat(other.getLocalPort()).isNotEqualTo(port);
      assertThat(ServerPorts.isFree(ADDRESS, port)).isFalse();
    }
    assertThat(ServerPorts.isFree(ADDRESS, port)).isTrue();
  }

  @Test
  void aPortThatWasFreeIsNotChosenAgainSoon() throws Exception {
    Set<Integer> chosen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      try (ServerSocket port = ServerPorts.OTHERS.take(ADDRESS)) {
        assertThat(chosen.add(port.getLocalPort())).isTrue();
      }
    }
  }

  @Test
  void aServerOfHdfsNeverHasThePortOfAnother() throws Exception {
    for (int i = 0; i < 100; i++) {
      try (ServerSocket hdfs = ServerPorts.HDFS.take(ADDRESS);
          ServerSocket other = ServerPorts.OTHERS.take(ADDRESS)) {
        assertThat(hdfs.getLocalPort()).isBetween(10_000, 19_999);
        assertThat(other.getLocalPort()).isBetween(20_000, 29_999);
      }
    }
  }

  @Test
  void theSystemGivesItToNoOutgoingConnection() throws Exception {
    try (InputStream range =
            Files.newInputStream(Path.of("/proc/sys/net/ipv4/ip_local_port_range"));
        ServerSocket port = ServerPorts.OTHERS.take(ADDRESS)) {
      // Read at once: a second read of this file finds nothing.
      int lowest =
          Integer.parseInt(
              new String(range.readNBytes(100), StandardCharsets.US_ASCII).split("\\s+")[0]);
      assertThat(port.getLocalPort()).isLessThan(ServerPorts.END);
      assertThat(ServerPorts.END).isLessThanOrEqualTo(lowest);
    }
  }
}
