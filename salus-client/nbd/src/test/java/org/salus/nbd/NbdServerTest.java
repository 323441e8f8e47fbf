package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.nbd.GatedBridge.SIZE;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
}
