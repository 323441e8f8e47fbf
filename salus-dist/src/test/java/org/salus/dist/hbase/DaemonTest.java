package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;
import org.salus.host.ServerPorts;

class DaemonTest {
  @Test
  void aServerThatDoesNotStartSaysWhy() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.regionserver.hostname", "127.0.0.1");
    try (ServerSocket taken = ServerPorts.OTHERS.take("127.0.0.1")) {
      conf.setInt("hbase.regionserver.port", taken.getLocalPort());
      assertThatThrownBy(() -> Daemon.REGIONSERVER.run(conf, () -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Address already in use");
    }
  }

  @Test
  void anErrorWhoseCausesAddNothingStaysAsItIs() {
    Configuration conf = new Configuration(false);
    conf.set(Daemon.ZOOKEEPER_DIR, "/dev/null/zookeeper");
    assertThatThrownBy(() -> Daemon.ZOOKEEPER.run(conf, () -> {}))
        .isInstanceOf(FileSystemException.class);
  }
}
