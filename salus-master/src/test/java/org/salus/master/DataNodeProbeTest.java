package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class DataNodeProbeTest {
  private final DataNodeProbe probe = new DataNodeProbe();

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  private static String address(ServerSocket s) {
    return "127.0.0.1:" + s.getLocalPort();
  }

  @Test
  void aDataNodeThatEndsTheConnectionIsAlive() throws Exception {
    try (ServerSocket dataNode = listen()) {
      Thread serving =
          new Thread(
              () -> {
                try (Socket s = dataNode.accept()) {
                  assertThat(s.getInputStream().read()).isEqualTo(-1);
                } catch (IOException closed) {
                  throw new IllegalStateException(closed);
                }
              });
      serving.start();
      assertThat(probe.isAlive(address(dataNode))).isTrue();
      serving.join();
    }
  }

  @Test
  void aDataNodeWhoseSystemAloneTakesConnectionsIsNot() throws Exception {
    try (ServerSocket stopped = listen()) {
      assertThat(probe.isAlive(address(stopped))).isFalse();
      long begin = System.nanoTime();
      assertThat(probe.isAlive(address(stopped))).isFalse();
      assertThat(System.nanoTime() - begin)
          .as("it is not waited for again at once")
          .isLessThan(1_000_000_000L);
    }
  }

  @Test
  void aDataNodeThatIsNotThereIsNot() throws Exception {
    ServerSocket gone = listen();
    gone.close();
    assertThat(probe.isAlive(address(gone))).isFalse();
  }
}
