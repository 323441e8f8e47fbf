package org.salus.benchmarks.figures.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpentTest {
  private static final int BYTES = 1 << 20;

  @Test
  void whatThisProcessDoesIsCounted(@TempDir Path dir) throws IOException {
    List<ProcessHandle> self = List.of(ProcessHandle.current());
    Spent before = Spent.by(self);
    byte[] bytes = new byte[BYTES];
    try (FileChannel file =
        FileChannel.open(dir.resolve("f"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(bytes));
      file.force(true);
    }
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      Thread sender = new Thread(() -> send(client, bytes));
      sender.start();
      assertThat(accepted.getInputStream().readNBytes(BYTES)).hasSize(BYTES);
    }
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begin = threads.getCurrentThreadCpuTime();
    while (threads.getCurrentThreadCpuTime() - begin < 100_000_000) {
      Thread.onSpinWait();
    }
    Spent spent = Spent.by(self).since(before);
    assertThat(spent.cpuNanos()).isGreaterThan(50_000_000);
    assertThat(spent.diskBytes()).isGreaterThanOrEqualTo(BYTES);
    assertThat(spent.wireBytes()).isGreaterThanOrEqualTo(BYTES);
  }

  private static void send(Socket to, byte[] bytes) {
    try {
      to.getOutputStream().write(bytes);
    } catch (IOException seenByTheReader) {
      return;
    }
  }
}
