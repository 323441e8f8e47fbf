package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.salus.client.Volume;
import org.salus.nbd.netty.NbdServer;

/** A bridge over a volume in memory, whose reads and writes wait where the test wants it. */
final class GatedBridge implements AutoCloseable {
  static final long SIZE = 64 << 20;

  /** How many reads and writes the volume has begun. */
  final AtomicInteger begun = new AtomicInteger();

  /** What reads and writes of the volume wait for. */
  volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  /** Why the volume can be used no more. */
  volatile String problem;

  volatile boolean isForOneClient;

  private final Volume volume =
      new MemoryVolume(SIZE) {
        @Override
        public CompletableFuture<Void> read(long offset, ByteBuffer dst) {
          begun.incrementAndGet();
          return gate.thenCompose(open -> super.read(offset, dst));
        }

        @Override
        public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
          begun.incrementAndGet();
          ByteBuffer copy = ByteBuffer.allocate(src.remaining()).put(src).flip();
          return gate.thenCompose(open -> super.write(offset, copy, fua));
        }
      };
  final Exports exports =
      new Exports() {
        @Override
        public List<String> names() {
          return List.of("disk0", "disk1");
        }

        @Override
        public Volume find(String name) {
          return name.isEmpty() || names().contains(name) ? volume : null;
        }

        @Override
        public String problem(String name) {
          return problem;
        }

        @Override
        public boolean isForOneClient() {
          return isForOneClient;
        }
      };
  private NbdServer server;

  GatedBridge() throws IOException {
    server = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), exports);
  }

  int port() {
    return server.port();
  }

  /** Lets the clients go. */
  void end(Duration patience) {
    server.end(patience);
  }

  /** Lets the clients go without answers. */
  void drop() {
    server.drop();
  }

  @Override
  public void close() {
    server.close();
  }

  /** Puts a server with other limits in the place of the one that every test has. */
  void restart(NbdLimits limits) throws IOException {
    server.close();
    server = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), exports, limits);
  }

  Socket connect(int clientFlags) throws IOException {
    Socket s = new Socket("127.0.0.1", server.port());
    s.setSoTimeout(10_000);
    byte[] greeting = new byte[18];
    new DataInputStream(s.getInputStream()).readFully(greeting);
    assertThat(ByteBuffer.wrap(greeting).getLong()).isEqualTo(Nbd.NBDMAGIC);
    s.getOutputStream().write(ByteBuffer.allocate(4).putInt(clientFlags).array());
    return s;
  }

  /** Connects by EXPORT_NAME, without structured replies. */
  Socket oldClient() throws IOException {
    Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE);
    s.getOutputStream()
        .write(RawNbd.option(Nbd.OPT_EXPORT_NAME, "disk0".getBytes(StandardCharsets.UTF_8)));
    assertThat(RawNbd.receive(s, 134).getLong()).isEqualTo(SIZE);
    return s;
  }

  /**
   * Waits until the bridge takes nothing more from another connection, while it answers this one.
   */
  int awaitNoMore(Socket s) throws IOException {
    int before;
    do {
      before = begun.get();
      for (int i = 0; i < 50; i++) {
        RawNbd.send(s, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
        assertThat(RawNbd.simpleReply(s)).isZero();
      }
    } while (begun.get() != before || before == 0);
    return before;
  }
}
