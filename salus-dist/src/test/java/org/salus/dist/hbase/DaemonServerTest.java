package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;
import org.salus.host.ServerPorts;

class DaemonServerTest {
  @Test
  void aServerThatDoesNotStartSaysWhy() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.regionserver.hostname", "127.0.0.1");
    try (ServerSocket taken = ServerPorts.OTHERS.take("127.0.0.1")) {
      conf.setInt("hbase.regionserver.port", taken.getLocalPort());
      assertThatThrownBy(() -> DaemonServer.run(Daemon.REGIONSERVER, conf, () -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Address already in use");
    }
  }

  @Test
  void anErrorWhoseCausesAddNothingStaysAsItIs() {
    Configuration conf = new Configuration(false);
    conf.set(DaemonServer.ZOOKEEPER_DIR, "/dev/null/zookeeper");
    assertThatThrownBy(() -> DaemonServer.run(Daemon.ZOOKEEPER, conf, () -> {}))
        .isInstanceOf(FileSystemException.class);
  }
}
