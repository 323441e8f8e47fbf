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
import java.time.Duration;
import java.util.ArrayList;
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
          ByteBuffer copy = ByteBuffer.allocate(src.remaining()).put(src).flip();
          return gate.thenCompose(open -> super.write(offset, copy, fua));
        }
      };
  private final Exports exports =
      new Exports() {
        @Override
        public List<String> names() {
          return List.of("disk0", "disk1");
        }

        @Override
        public Volume find(String name) {
          return name.isEmpty() || names().contains(name) ? volume : null;
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
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, Nbd.CMD_FLAG_DF, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).as("DF without structured replies").isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_TRIM, SIZE, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_WRITE_ZEROES, SIZE, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.ENOSPC);
      send(s, 0, Nbd.CMD_FLUSH, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_READ, SIZE, 0, new byte[0]);
      assertThat(simpleReply(s)).as("a read of nothing, at the end").isZero();
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
      assertThat(awaitNoMore(other)).as("reads of 32 MiB that were begun").isEqualTo(2);
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
      while (begun.get() < 2) {
        awaitNoMore(other);
      }
      assertThat(awaitNoMore(other)).as("writes of 32 MiB that were begun").isEqualTo(2);
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

  private static byte[] name(String name) {
    byte[] b = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(4 + b.length).putInt(b.length).put(b).array();
  }

  private static byte[] join(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    Arrays.stream(parts).forEach(all::put);
    return all.array();
  }

  /** Sends an option and returns the types of its replies, the final one last. */
  private static List<Integer> replies(Socket s, int option, byte[]... data) throws IOException {
    s.getOutputStream().write(option(option, join(data)));
    List<Integer> types = new ArrayList<>();
    do {
      ByteBuffer head = receive(s, 20);
      assertThat(head.getLong()).isEqualTo(Nbd.OPTION_REPLY_MAGIC);
      assertThat(head.getInt()).isEqualTo(option);
      types.add(head.getInt());
      ByteBuffer body = receive(s, head.getInt());
      if (types.get(types.size() - 1) == Nbd.REP_INFO && body.getShort() == Nbd.INFO_EXPORT) {
        assertThat(body.getLong()).isEqualTo(SIZE);
        types.add(Short.toUnsignedInt(body.getShort()));
      }
      if (types.get(types.size() - 1) < 0) {
        assertThat(body.capacity()).as("an error's text").isLessThanOrEqualTo(Nbd.MAX_STRING);
      }
    } while (types.get(types.size() - 1) != Nbd.REP_ACK && types.get(types.size() - 1) > 0);
    return types;
  }

  private static final byte[] NOTHING = {0, 0};
  private static final byte[] BASE = join(new byte[] {0, 0, 0, 1}, name(Nbd.BASE_ALLOCATION));

  /** Takes a structured reply of one chunk, and returns its errno. */
  private static int structuredReply(Socket s) throws IOException {
    ByteBuffer head = receive(s, 20);
    assertThat(head.getInt()).isEqualTo(Nbd.STRUCTURED_REPLY_MAGIC);
    assertThat(head.getShort()).isEqualTo((short) Nbd.REPLY_FLAG_DONE);
    int type = Short.toUnsignedInt(head.getShort());
    ByteBuffer body = receive(s, head.getInt(16));
    return type == Nbd.REPLY_TYPE_ERROR ? body.getInt() : 0;
  }

  @Test
  void unfragmentedReadsAreOfferedWithStructuredRepliesOnly() throws Exception {
    try (Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      assertThat(replies(s, Nbd.OPT_INFO, name("disk0"), NOTHING))
          .contains(Nbd.TRANSMISSION_FLAGS)
          .endsWith(Nbd.REP_ACK);
      assertThat(Nbd.TRANSMISSION_FLAGS & Nbd.FLAG_SEND_DF).isZero();
      assertThat(replies(s, Nbd.OPT_STRUCTURED_REPLY)).containsExactly(Nbd.REP_ACK);
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING))
          .contains(Nbd.TRANSMISSION_FLAGS | Nbd.FLAG_SEND_DF);
      send(s, Nbd.CMD_FLAG_DF, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(structuredReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 0, 0, new byte[0]);
      assertThat(structuredReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 0, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(structuredReply(s)).isEqualTo(Nbd.EOVERFLOW);
      send(s, 0, Nbd.CMD_READ, SIZE, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(structuredReply(s)).as("too long, and past the end").isEqualTo(Nbd.EINVAL);
    }
    try (Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) {
      s.getOutputStream().write(option(Nbd.OPT_EXPORT_NAME, new byte[0]));
      assertThat(receive(s, 10).getShort(8)).isEqualTo((short) Nbd.TRANSMISSION_FLAGS);
    }
  }

  /** The errno of a BLOCK_STATUS after these options and a GO to disk0. */
  private int blockStatus(byte[]... options) throws IOException {
    try (Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      replies(s, Nbd.OPT_STRUCTURED_REPLY);
      for (byte[] set : options) {
        replies(s, Nbd.OPT_SET_META_CONTEXT, set);
      }
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING)).endsWith(Nbd.REP_ACK);
      send(s, 0, Nbd.CMD_BLOCK_STATUS, 0, 4096, new byte[0]);
      return structuredReply(s);
    }
  }

  @Test
  void metaContextCountsForTheExportOfTheLastChoiceOnly() throws Exception {
    byte[] mine = join(name("disk0"), BASE);
    assertThat(blockStatus()).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(mine)).isZero();
    assertThat(blockStatus(join(name("disk1"), BASE))).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(mine, join(name("disk1"), BASE))).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(join(name("disk1"), BASE), mine)).isZero();
    assertThat(blockStatus(mine, join(name("disk0"), new byte[4]))).isEqualTo(Nbd.EINVAL);
    for (byte[] failed :
        List.of(join(name("none"), BASE), join(name("disk0"), new byte[3]), new byte[1 << 17])) {
      assertThat(blockStatus(mine, failed)).as("a choice that failed").isEqualTo(Nbd.EINVAL);
    }
  }

  @Test
  void wrongDataOfAnOptionIsAnsweredAndTheHandshakeGoesOn() throws Exception {
    byte[] one = {0, 0, 0, 1};
    try (Socket s = connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      assertThat(replies(s, Nbd.OPT_SET_META_CONTEXT, name("disk0"), BASE))
          .containsExactly(Nbd.REP_ERR_INVALID);
      replies(s, Nbd.OPT_STRUCTURED_REPLY);
      assertThat(replies(s, Nbd.OPT_LIST, one)).containsExactly(Nbd.REP_ERR_INVALID);
      assertThat(replies(s, Nbd.OPT_STRUCTURED_REPLY, one)).containsExactly(Nbd.REP_ERR_INVALID);
      for (String bad : List.of("a".repeat(Nbd.MAX_STRING + 1), "disk0\0")) {
        assertThat(replies(s, Nbd.OPT_GO, name(bad), NOTHING)).containsExactly(Nbd.REP_ERR_INVALID);
      }
      assertThat(replies(s, Nbd.OPT_GO, one, new byte[] {(byte) 0xff}, NOTHING))
          .as("not UTF-8")
          .containsExactly(Nbd.REP_ERR_INVALID);
      assertThat(replies(s, Nbd.OPT_GO, name("a".repeat(Nbd.MAX_STRING)), NOTHING))
          .containsExactly(Nbd.REP_ERR_UNKNOWN);
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING, NOTHING))
          .containsExactly(Nbd.REP_ERR_INVALID);
      for (int option : List.of(Nbd.OPT_LIST_META_CONTEXT, Nbd.OPT_SET_META_CONTEXT)) {
        assertThat(replies(s, option, name("disk0"), new byte[] {-1, -1, -1, -1}))
            .as("queries that are not there")
            .containsExactly(Nbd.REP_ERR_INVALID);
        assertThat(replies(s, option, name("disk0"), BASE, one))
            .as("data behind the queries")
            .containsExactly(Nbd.REP_ERR_INVALID);
      }
      assertThat(replies(s, Nbd.OPT_GO, new byte[1 << 20])).containsExactly(Nbd.REP_ERR_TOO_BIG);
      assertThat(replies(s, 4711, new byte[1 << 20])).containsExactly(Nbd.REP_ERR_UNSUP);
      assertThat(replies(s, Nbd.OPT_LIST))
          .containsExactly(Nbd.REP_SERVER, Nbd.REP_SERVER, Nbd.REP_ACK);
      assertThat(replies(s, Nbd.OPT_ABORT, new byte[1 << 20])).containsExactly(Nbd.REP_ACK);
      assertThat(s.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void clientThatDoesNotKnowTheFixedHandshakeIsServed() throws Exception {
    try (Socket s = connect(0)) {
      s.getOutputStream().write(option(Nbd.OPT_EXPORT_NAME, new byte[0]));
      assertThat(receive(s, 134).getLong()).isEqualTo(SIZE);
    }
  }

  @Test
  void whatIsOutstandingAtADisconnectIsAnsweredBeforeTheEnd() throws Exception {
    gate = new CompletableFuture<>();
    try (Socket s = oldClient();
        Socket other = oldClient()) {
      int reads = 2000; // more than a connection has under way at once
      send(s, 0, Nbd.CMD_WRITE, 0, 3, new byte[] {1, 2, 3});
      sendReads(s, reads, 4096);
      send(s, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
      s.shutdownOutput();
      awaitNoMore(other);
      gate.complete(null);
      receive(s, 16 + reads * (16 + 4096)); // in any order
      assertThat(s.getInputStream().read()).isEqualTo(-1);
      send(other, 0, Nbd.CMD_READ, 0, 3, new byte[0]);
      assertThat(simpleReply(other)).isZero();
      assertThat(receive(other, 3).array()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void answersThatTheClientHasNotTakenSurviveItsDisconnect() throws Exception {
    try (Socket s = oldClient();
        Socket other = oldClient()) {
      sendReads(s, 1, Nbd.MAX_PAYLOAD);
      send(s, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
      awaitNoMore(other);
      assertThat(simpleReply(s)).isZero();
      receive(s, Nbd.MAX_PAYLOAD);
      assertThat(s.getInputStream().read()).isEqualTo(-1);
    }
  }

  /** Puts a server with other limits in the place of the one that every test has. */
  private void restart(NbdLimits limits) throws IOException {
    server.close();
    server = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), exports, limits);
  }

  @Test
  void allConnectionsTogetherTakeNoMoreThanTheirMemory() throws Exception {
    restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 100, Duration.ofMinutes(10)));
    gate = new CompletableFuture<>();
    try (Socket a = oldClient();
        Socket b = oldClient();
        Socket c = oldClient();
        Socket other = oldClient()) {
      List<Socket> clients = List.of(a, b, c);
      for (Socket s : clients) {
        sendReads(s, 2, Nbd.MAX_PAYLOAD / 2);
      }
      while (begun.get() < 3) {
        oldClient().close();
      }
      for (int i = 0; i < 20; i++) {
        oldClient().close(); // the loop has taken by now what the others have sent
      }
      assertThat(begun.get()).as("reads of 16 MiB that were begun").isEqualTo(3);
      gate.complete(null);
      for (Socket s : clients) {
        for (int i = 0; i < 2; i++) {
          assertThat(simpleReply(s)).isZero();
          receive(s, Nbd.MAX_PAYLOAD / 2);
        }
      }
      send(other, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(other)).isZero();
    }
  }

  @Test
  void clientThatStandsStillLosesItsConnectionWhenOthersNeedItsMemory() throws Exception {
    restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 100, Duration.ofMillis(200)));
    try (Socket cut = oldClient();
        Socket deaf = oldClient();
        Socket idle = oldClient();
        Socket s = oldClient()) {
      send(cut, 0, Nbd.CMD_WRITE, 0, Nbd.MAX_PAYLOAD, new byte[10]);
      sendReads(deaf, 1, Nbd.MAX_PAYLOAD - 4096);
      while (begun.get() < 1) {
        oldClient().close();
      }
      sendReads(s, 1, Nbd.MAX_PAYLOAD);
      assertThat(simpleReply(s)).isZero();
      receive(s, Nbd.MAX_PAYLOAD);
      assertThat(cut.getInputStream().read()).as("who sends half of a write").isEqualTo(-1);
      send(idle, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(idle)).as("who holds nothing").isZero();
    }
  }

  @Test
  void connectionBeyondTheMostIsClosed() throws Exception {
    restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 2, Duration.ofMinutes(10)));
    try (Socket first = oldClient()) {
      try (Socket second = oldClient();
          Socket third = new Socket("127.0.0.1", server.port())) {
        assertThat(third.getInputStream().read()).isEqualTo(-1);
        send(second, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
      try (Socket again = oldClient()) {
        send(again, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
        assertThat(simpleReply(again)).isZero();
      }
      send(first, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(first)).isZero();
    }
  }
}
