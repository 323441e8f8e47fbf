package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.nbd.GatedBridge.SIZE;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;
import org.salus.nbd.netty.NbdServer;

/** The bridge as the usual tools see it. */
class NbdServerTest {
  @TempDir Path dir;

  private GatedBridge bridge;
  private String uri;

  @BeforeEach
  void start() throws IOException {
    bridge = new GatedBridge();
    uri = "nbd://127.0.0.1:" + bridge.port() + "/disk0";
  }

  @AfterEach
  void stop() {
    bridge.close();
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
    assertThat(Tools.run("libnbd-bin", "nbdinfo", "--list", "nbd://127.0.0.1:" + bridge.port()))
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
  void requestsAreCountedAndMeasuredByCommand() throws Exception {
    Metrics metrics = new Metrics();
    NbdMeter meter = new NbdMeter(metrics);
    meter.volume("disk0", bridge.exports);
    Path socket = dir.resolve("nbd.sock");
    try (NbdServer unix = NbdServer.unix(socket, bridge.exports, meter)) {
      Tools.run(
          "qemu-utils",
          "qemu-io",
          "-f",
          "raw",
          "-c",
          "write -P 7 8192 4096",
          "-c",
          "write -P 7 16384 8192",
          "-c",
          "read 8192 4096",
          "-c",
          "flush",
          "nbd+unix:///disk0?socket=" + socket);
      String text = PrometheusText.of(metrics);
      assertThat(text)
          .contains("salus_nbd_requests_total{command=\"write\"} 2\n")
          .contains("salus_nbd_bytes_total{command=\"write\"} 12288\n")
          .contains("salus_nbd_request_seconds_count{command=\"write\"} 2\n")
          .contains("salus_nbd_errors_total{command=\"write\"} 0\n")
          .containsPattern("salus_nbd_requests_total\\{command=\"read\"} [1-9]")
          .containsPattern("salus_nbd_requests_total\\{command=\"flush\"} [1-9]")
          .contains("salus_nbd_requests_total{command=\"trim\"} 0\n")
          .contains("salus_nbd_held_bytes 0\n")
          .contains("salus_volume_failures_total{volume=\"disk0\"} 0\n");
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
        client.read(ByteBuffer.allocate(18));
        assertThat(PrometheusText.of(metrics)).contains("salus_nbd_connections 1\n");
      }
    }
  }

  @Test
  void aUnixSocketServesAsTcpDoes() throws Exception {
    Path socket = dir.resolve("nbd.sock");
    try (NbdServer unix = NbdServer.unix(socket, bridge.exports)) {
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
  }

  @Test
  void aUnixSocketTakesThePlaceOfOneThatWasLeftBehindAndOfNothingElse() throws Exception {
    Path socket = dir.resolve("nbd.sock");
    try (NbdServer first = NbdServer.unix(socket, bridge.exports)) {
      assertThatThrownBy(() -> NbdServer.unix(socket, bridge.exports))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another process does");
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
    Files.deleteIfExists(socket);
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket))
        .close();
    try (NbdServer again = NbdServer.unix(socket, bridge.exports)) {
      assertThat(Tools.run("libnbd-bin", "nbdinfo", "--size", "nbd+unix:///disk0?socket=" + socket))
          .contains("" + SIZE);
    }
    Path file = Files.writeString(dir.resolve("notes.txt"), "mine");
    assertThatThrownBy(() -> NbdServer.unix(file, bridge.exports))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a socket");
    assertThat(file).hasContent("mine");
  }

  @Test
  void aTakenPortIsOneLineThatSaysWhatToDo() {
    assertThatThrownBy(
            () -> NbdServer.tcp(new InetSocketAddress("127.0.0.1", bridge.port()), bridge.exports))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("choose another address")
        .hasMessageNotContaining("\n");
  }

  @Test
  void aVolumeThatCanBeUsedNoMoreIsRefusedWithTheReason() throws Exception {
    bridge.problem = "another writer has it";
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) {
      byte[] name = RawNbd.join(RawNbd.name("disk0"), new byte[2]);
      s.getOutputStream().write(RawNbd.option(Nbd.OPT_INFO, name));
      ByteBuffer reply = RawNbd.receive(s, 20);
      assertThat(reply.getInt(12)).isEqualTo(Nbd.REP_ERR_UNKNOWN);
      byte[] text = RawNbd.receive(s, reply.getInt(16)).array();
      assertThat(new String(text, StandardCharsets.UTF_8)).isEqualTo("another writer has it");
    }
  }

  /** What the old connection holds, begun or not, takes no effect after what comes later. */
  @Test
  void aNewConnectionOfOneClientEndsTheOldOneAndWaitsForIt() throws Exception {
    bridge.isForOneClient = true;
    bridge.restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 8, Duration.ofHours(1)));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    bridge.gate = gate;
    try (Socket old = bridge.oldClient()) {
      byte[] large = new byte[Nbd.MAX_PAYLOAD];
      Arrays.fill(large, (byte) 1);
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  RawNbd.send(old, 0, Nbd.CMD_WRITE, 0, large.length, large);
                  RawNbd.send(old, 0, Nbd.CMD_WRITE, 0, large.length, large); // waits for memory
                } catch (IOException ended) {
                  assertThat(ended).isNotNull();
                }
              });
      while (bridge.begun.get() == 0) {
        Thread.onSpinWait();
      }
      try (Socket next = bridge.oldClient()) {
        RawNbd.send(next, 0, Nbd.CMD_WRITE, 0, 1, new byte[] {2});
        sent.join(); // the old connection has ended
        assertThat(bridge.begun).hasValue(1);
        gate.complete(null);
        assertThat(RawNbd.simpleReply(next)).isZero();
        assertThat(bridge.begun).as("nothing else of the old connection has begun").hasValue(2);
        RawNbd.send(next, 0, Nbd.CMD_READ, 0, 1, new byte[0]);
        assertThat(RawNbd.simpleReply(next)).isZero();
        assertThat(RawNbd.receive(next, 1).get()).isEqualTo((byte) 2);
      }
    }
  }

  /** It has said that it goes, and takes no answers, as if its machine had vanished. */
  @Test
  void anOldConnectionThatAwaitsOnlyItsAnswersDoesNotHoldUpTheNewOne() throws Exception {
    bridge.isForOneClient = true;
    CompletableFuture<Void> gate = new CompletableFuture<>();
    bridge.gate = gate;
    try (Socket old = bridge.oldClient()) {
      old.getOutputStream()
          .write(
              RawNbd.join(
                  RawNbd.request(0, Nbd.CMD_READ, 0, Nbd.MAX_PAYLOAD),
                  RawNbd.request(0, Nbd.CMD_DISC, 0, 0)));
      while (bridge.begun.get() == 0) {
        Thread.onSpinWait();
      }
      try (Socket next = bridge.oldClient()) {
        RawNbd.send(next, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
        gate.complete(null);
        assertThat(RawNbd.simpleReply(next)).isZero();
      }
    }
  }

  @Test
  void aClientThatIsDroppedGetsNoAnswer() throws Exception {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    bridge.gate = gate;
    try (Socket client = bridge.oldClient()) {
      RawNbd.send(client, 0, Nbd.CMD_WRITE, 0, 1, new byte[] {1});
      while (bridge.begun.get() == 0) {
        Thread.onSpinWait();
      }
      bridge.drop();
      gate.completeExceptionally(new IllegalStateException("it is over"));
      assertThat(client.getInputStream().read()).as("the end").isNegative();
    }
  }
}
