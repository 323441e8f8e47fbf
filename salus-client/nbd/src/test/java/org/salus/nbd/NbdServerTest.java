package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.Volume;
import org.salus.nbd.netty.NbdServer;

class NbdServerTest {
  private static final long SIZE = 64 << 20;

  @TempDir Path dir;

  private final AtomicInteger begun = new AtomicInteger();
  private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
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
          return gate.thenCompose(open -> super.write(offset, src, fua));
        }
      };
  private final Exports exports =
      new Exports() {
        @Override
        public List<String> names() {
          return List.of("disk0");
        }

        @Override
        public Volume find(String name) {
          return name.isEmpty() || name.equals("disk0") ? volume : null;
        }
      };
  private NbdServer server;
  private String uri;

  @BeforeEach
  void start() throws IOException {
    server = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), exports);
    uri = "nbd://127.0.0.1:" + server.port() + "/disk0";
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void nbdinfoSeesTheVolumeAndItsSizes() throws Exception {
    String info = Tools.run("libnbd-bin", "nbdinfo", uri);
    assertThat(info)
        .contains(
            "export-size: " + SIZE,
            "base:allocation",
            "can_multi_conn: true",
            "can_fua: true",
            "can_trim: true");
    assertThat(info)
        .contains(
            "block_size_minimum: 1", "block_size_preferred: 4096", "block_size_maximum: 33554432");
    assertThat(Tools.run("libnbd-bin", "nbdinfo", "--list", "nbd://127.0.0.1:" + server.port()))
        .contains("disk0");
  }

  @Test
  void anImageGoesInByQemuImgAndComesBackByNbdcopy() throws Exception {
    byte[] image = new byte[(int) SIZE];
    new Random(3).nextBytes(image);
    Arrays.fill(image, 1 << 20, 9 << 20, (byte) 0);
    Path in = Files.write(dir.resolve("in"), image);
    Tools.run(
        "qemu-utils", "qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", in.toString(), uri);
    Tools.run("libnbd-bin", "nbdcopy", uri, dir.resolve("out").toString());
    assertThat(Files.mismatch(in, dir.resolve("out"))).isEqualTo(-1);
    assertThat(Tools.run("libnbd-bin", "nbdinfo", "--map", uri)).contains("hole,zero");
  }

  @Test
  void fioVerifiesRandomSizesAndAlignmentsOverSeveralConnections() throws Exception {
    Tools.run(
        "fio",
        "fio",
        "--name=v",
        "--ioengine=nbd",
        "--uri=" + uri,
        "--rw=randwrite",
        "--bsrange=512-256k",
        "--blockalign=512",
        "--numjobs=3",
        "--offset_increment=16m",
        "--size=16m",
        "--iodepth=16",
        "--verify=crc32c",
        "--do_verify=1",
        "--verify_fatal=1",
        "--verify_state_save=0");
  }

  @Test
  void qemuIoReadsZeroesTrimsAndFlushes() throws Exception {
    String out =
        Tools.run(
            "qemu-utils",
            "qemu-io",
            "-f",
            "raw",
            "-c",
            "write -P 7 1000 5000",
            "-c",
            "write -z 2000 100",
            "-c",
            "discard 4096 4096",
            "-c",
            "flush",
            "-c",
            "read -P 7 1000 1000",
            "-c",
            "read -P 0 2000 100",
            "-c",
            "write -f -P 9 0 512",
            "-c",
            "read -P 9 0 512",
            uri);
    assertThat(out).doesNotContain("failed", "mismatch");
  }

  @Test
  void aUnixSocketServesAsTcpDoes() throws Exception {
    Path socket = dir.resolve("nbd.sock");
    try (NbdServer unix = NbdServer.unix(socket, exports)) {
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
  }

  @Test
  void aUnixSocketTakesThePlaceOfOneThatWasLeftBehindAndOfNothingElse() throws Exception {
    Path socket = dir.resolve("nbd.sock");
    try (NbdServer first = NbdServer.unix(socket, exports)) {
      assertThatThrownBy(() -> NbdServer.unix(socket, exports))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another process does");
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
    Files.deleteIfExists(socket);
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket))
        .close();
    try (NbdServer again = NbdServer.unix(socket, exports)) {
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
    Path file = Files.writeString(dir.resolve("notes.txt"), "mine");
    assertThatThrownBy(() -> NbdServer.unix(file, exports))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a socket");
    assertThat(file).hasContent("mine");
  }

  @Test
  void aTakenPortIsOneLineThatSaysWhatToDo() {
    assertThatThrownBy(
            () -> NbdServer.tcp(new InetSocketAddress("127.0.0.1", server.port()), exports))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("choose another address")
        .hasMessageNotContaining("\n");
  }

  private Socket connect(int clientFlags) throws IOException {
    Socket s = new Socket("127.0.0.1", server.port());
    s.setSoTimeout(10_000);
    byte[] greeting = new byte[18];
    new DataInputStream(s.getInputStream()).readFully(greeting);
    assertThat(ByteBuffer.wrap(greeting).getLong()).isEqualTo(Nbd.NBDMAGIC);
    s.getOutputStream().write(ByteBuffer.allocate(4).putInt(clientFlags).array());
    return s;
  }

  private static byte[] option(int option, byte[] data) {
    return ByteBuffer.allocate(16 + data.length)
        .putLong(Nbd.IHAVEOPT)
        .putInt(option)
        .putInt(data.length)
        .put(data)
        .array();
  }

  private static ByteBuffer receive(Socket s, int n) throws IOException {
    byte[] b = new byte[n];
    new DataInputStream(s.getInputStream()).readFully(b);
    return ByteBuffer.wrap(b);
  }

  /** Connects by EXPORT_NAME, without structured replies. */
  private Socket oldClient() throws IOException {
    Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE);
    s.getOutputStream()
        .write(option(Nbd.OPT_EXPORT_NAME, "disk0".getBytes(StandardCharsets.UTF_8)));
    assertThat(receive(s, 134).getLong()).isEqualTo(SIZE);
    return s;
  }

  private static void send(
      Socket s, int flags, int command, long offset, int length, byte[] payload)
      throws IOException {
    ByteBuffer b =
        ByteBuffer.allocate(28 + payload.length)
            .putInt(Nbd.REQUEST_MAGIC)
            .putShort((short) flags)
            .putShort((short) command);
    s.getOutputStream().write(b.putLong(99).putLong(offset).putInt(length).put(payload).array());
  }

  private static int simpleReply(Socket s) throws IOException {
    ByteBuffer b = receive(s, 16);
    assertThat(b.getInt()).isEqualTo(Nbd.SIMPLE_REPLY_MAGIC);
    int errno = b.getInt();
    assertThat(b.getLong()).isEqualTo(99);
    return errno;
  }

  @Test
  void anOldClientGetsSimpleReplies() throws Exception {
    try (Socket s = oldClient()) {
      send(s, 0, Nbd.CMD_WRITE, 10, 3, new byte[] {1, 2, 3});
      assertThat(simpleReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 9, 5, new byte[0]);
      assertThat(simpleReply(s)).isZero();
      assertThat(receive(s, 5).array()).containsExactly(0, 1, 2, 3, 0);
    }
  }

  @Test
  void badRequestsGetTheirErrnoAndTheConnectionGoesOn() throws Exception {
    try (Socket s = oldClient()) {
      send(s, 0, Nbd.CMD_READ, SIZE - 1, 2, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_WRITE, SIZE, 1, new byte[1]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.ENOSPC);
      send(s, 0, Nbd.CMD_READ, -5, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_READ, 0, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EOVERFLOW);
      send(s, 0, 77, 0, 0, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 1 << 9, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_BLOCK_STATUS, 0, 10, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(s)).isZero();
    }
  }

  @Test
  void garbageClosesItsConnectionOnly() throws Exception {
    try (Socket other = oldClient();
        Socket before = connect(0x7f7f7f7f);
        Socket options = connect(Nbd.FLAG_FIXED_NEWSTYLE);
        Socket after = oldClient()) {
      assertThat(before.getInputStream().read()).isEqualTo(-1);
      options.getOutputStream().write(new byte[64]);
      assertThat(options.getInputStream().read()).isEqualTo(-1);
      after.getOutputStream().write(new byte[64]);
      assertThat(after.getInputStream().read()).isEqualTo(-1);
      send(other, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(other)).isZero();
    }
  }

  @Test
  void aWriteWhoseClientVanishesIsNotExecuted() throws Exception {
    try (Socket s = oldClient()) {
      send(s, 0, Nbd.CMD_WRITE, 0, 1000, new byte[] {1, 2, 3});
    }
    try (Socket s = oldClient()) {
      send(s, 0, Nbd.CMD_READ, 0, 3, new byte[0]);
      assertThat(simpleReply(s)).isZero();
      assertThat(receive(s, 3).array()).containsOnly(0);
    }
  }

  /** Sends {@code count} reads in one write. */
  private static void sendReads(Socket s, int count, int length) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(count * 28);
    for (int i = 0; i < count; i++) {
      all.putInt(Nbd.REQUEST_MAGIC)
          .putShort((short) 0)
          .putShort((short) Nbd.CMD_READ)
          .putLong(99)
          .putLong(0)
          .putInt(length);
    }
    s.getOutputStream().write(all.array());
  }

  /**
   * Waits until the bridge takes nothing more from another connection, while it answers this one.
   */
  private int awaitNoMore(Socket s) throws IOException {
    int before;
    do {
      before = begun.get();
      for (int i = 0; i < 50; i++) {
        send(s, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
        assertThat(simpleReply(s)).isZero();
      }
    } while (begun.get() != before || before == 0);
    return before;
  }

  @Test
  void readsThatCameTogetherAreTakenAsThereIsRoomForTheirAnswers() throws Exception {
    gate = new CompletableFuture<>();
    try (Socket s = oldClient();
        Socket other = oldClient()) {
      sendReads(s, 8, Nbd.MAX_PAYLOAD);
      assertThat(awaitNoMore(other)).as("reads of 32 MiB that were begun").isEqualTo(3);
      gate.complete(null);
      for (int i = 0; i < 8; i++) {
        assertThat(simpleReply(s)).isZero();
        receive(s, Nbd.MAX_PAYLOAD);
      }
    }
  }

  @Test
  void writesAreTakenAsThereIsRoomForThem() throws Exception {
    gate = new CompletableFuture<>();
    try (Socket s = oldClient();
        Socket other = oldClient()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < 8; i++) {
                    send(s, 0, Nbd.CMD_WRITE, 0, Nbd.MAX_PAYLOAD, new byte[Nbd.MAX_PAYLOAD]);
                  }
                } catch (IOException failed) {
                  throw new UncheckedIOException(failed);
                }
              });
      while (begun.get() < 3) {
        awaitNoMore(other);
      }
      assertThat(awaitNoMore(other)).as("writes of 32 MiB that were begun").isEqualTo(3);
      assertThat(sent).isNotDone();
      gate.complete(null);
      for (int i = 0; i < 8; i++) {
        assertThat(simpleReply(s)).isZero();
      }
      sent.get();
    }
  }

  @Test
  void whoDoesNotTakeItsAnswersGetsNoMore() throws Exception {
    int reads = 300;
    try (Socket s = oldClient();
        Socket other = oldClient()) {
      sendReads(s, reads, 1 << 20);
      assertThat(awaitNoMore(other)).as("reads of 1 MiB that were begun").isLessThan(reads / 2);
      for (int i = 0; i < reads; i++) {
        assertThat(simpleReply(s)).isZero();
        receive(s, 1 << 20);
      }
    }
  }

  @Test
  void unknownOptionsAndCutOptionsAreAnswered() throws Exception {
    try (Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) {
      s.getOutputStream().write(option(4711, new byte[5]));
      assertThat(receive(s, 20).getInt(12)).isEqualTo(Nbd.REP_ERR_UNSUP);
      receive(s, "option 4711 is not supported".length());
      s.getOutputStream().write(option(Nbd.OPT_GO, new byte[] {0, 0, 9, 9, 1}));
      assertThat(receive(s, 20).getInt(12)).isEqualTo(Nbd.REP_ERR_INVALID);
    }
  }
}
