package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * An NBD bridge is killed and started again under a client that reconnects. Then its volume is
 * deleted and made anew. Another one cannot keep what it must.
 */
@Timeout(1800)
@Tag("cluster")
class BridgeRestartTest {
  private static final int WRITES = 240;
  private static final int WRITES_BETWEEN_KILLS = 60;
  private static final long CHUNK = 256 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  void aClientThatReconnectsSeesAPauseAndNoError() throws Exception {
    LocalCluster cluster = new LocalCluster(dir.resolve("cluster"));
    try {
      cluster.start(3, Map.of(), step -> {});
      try (SalusClient client =
          SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
        client.create("disk", 64L << 20, SalusClient.CreateOptions.DEFAULT);
        client.create("kept", 16L << 20, SalusClient.CreateOptions.DEFAULT);
      }
      int port = StandaloneProcess.freePort();
      DaemonProcess bridge = cluster.nbd(List.of("disk"), "127.0.0.1:" + port);
      bridge.start();
      bridge.awaitReady();
      writeWhileTheBridgeIsKilled(port, bridge);
      Shell.run(qemuIo(port, i -> "read -P " + pattern(i) + " " + i * CHUNK + " " + CHUNK));
      assertThatAnotherBridgeIsRefused(cluster);
      assertThatTheExportFollowsItsVolume(cluster, port);
      bridge.kill();
      assertThatAClientOutlivesABridgeThatCannotKeepItsMount(cluster);
    } finally {
      cluster.kill();
    }
  }

  /** The volume is deleted under a connected client, and another one of its name is made. */
  private static void assertThatTheExportFollowsItsVolume(LocalCluster cluster, int port)
      throws Exception {
    String uri = "nbd://127.0.0.1:" + port + "/disk";
    Process client =
        new ProcessBuilder("stdbuf", "-oL", "qemu-io", "-f", "raw", uri)
            .redirectErrorStream(true)
            .start();
    client.outputWriter().append("read -P 1 0 4096\n").flush();
    assertThat(client.inputReader().readLine()).contains("read 4096/4096 bytes");
    try (SalusClient salus =
        SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      salus.delete("disk", true);
      Await.until(
          "the export is no longer offered",
          PATIENCE,
          () -> !Shell.tryRun("nbdinfo", "--list", uri).output().contains("disk"));
      salus.create("disk", 32L << 20, SalusClient.CreateOptions.DEFAULT);
      Await.until(
          "the export offers the new volume",
          PATIENCE,
          () -> Shell.tryRun("nbdinfo", "--size", uri).output().strip().equals("" + (32L << 20)));
    }
    client.outputWriter().append("read 0 4096\n").flush();
    client.outputWriter().close();
    String late = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(late).as("the client of the deleted volume").contains("read failed");
    Shell.run("qemu-io", "-f", "raw", "-c", "read -P 0 0 4096", uri);
  }

  /** The disk with the file is full, say. The bridge must not answer, and the next one goes on. */
  private void assertThatAClientOutlivesABridgeThatCannotKeepItsMount(LocalCluster cluster)
      throws Exception {
    int port = StandaloneProcess.freePort();
    Path file = dir.resolve("kept.mount");
    DaemonProcess bridge =
        cluster.nbd(
            List.of("kept", "--one-client", "--last-mount", file.toString()), "127.0.0.1:" + port);
    bridge.start();
    bridge.awaitReady();
    Process client =
        new ProcessBuilder("stdbuf", "-oL", "qemu-io", "--image-opts", image(port, "kept"))
            .redirectErrorStream(true)
            .start();
    client.outputWriter().append("write -P 1 0 4096\n").flush();
    assertThat(client.inputReader().readLine()).contains("wrote 4096/4096 bytes");
    ProcessHandle process = bridge.running();
    Shell.run("prlimit", "--pid", "" + process.pid(), "--fsize=100"); // it can write no further
    client.outputWriter().append("write -P 2 0 4096\nread -P 2 0 4096\n").flush();
    client.outputWriter().close();
    process.onExit().join();
    bridge.start();
    bridge.awaitReady();
    String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains("wrote 4096/4096 bytes", "read 4096/4096 bytes");
    assertThat(said).doesNotContain("failed").doesNotContain("error");
    bridge.kill();
  }

  private static int pattern(int i) {
    return 1 + i % 250;
  }

  /** Half of the writes do not wait for an answer, so that some are under way at each kill. */
  private static void writeWhileTheBridgeIsKilled(int port, DaemonProcess bridge) throws Exception {
    String[] command =
        qemuIo(
            port,
            i ->
                (i % 2 == 0 ? "aio_write" : "write")
                    + " -P "
                    + pattern(i)
                    + " "
                    + i * CHUNK
                    + " "
                    + CHUNK);
    Process client = new ProcessBuilder(command).redirectErrorStream(true).start();
    StringBuilder said = new StringBuilder();
    int written = 0;
    for (String line = client.inputReader().readLine();
        line != null;
        line = client.inputReader().readLine()) {
      said.append(line).append('\n');
      if (line.contains("wrote ") && ++written % WRITES_BETWEEN_KILLS == 0 && written < WRITES) {
        killAndStartAgain(bridge, written / WRITES_BETWEEN_KILLS == 2);
      }
    }
    assertThat(client.waitFor()).as(said.toString()).isZero();
    assertThat(said.toString()).doesNotContain("failed").doesNotContain("error");
    assertThat(written).isEqualTo(WRITES);
  }

  private static void killAndStartAgain(DaemonProcess bridge, boolean politely) throws Exception {
    ProcessHandle process = bridge.running();
    if (politely) {
      process.destroy();
    } else {
      process.destroyForcibly();
    }
    process.onExit().join();
    long begin = System.nanoTime();
    bridge.start();
    bridge.awaitReady();
    System.out.println(
        "the bridge serves again "
            + (System.nanoTime() - begin) / 1_000_000
            + " ms after its start");
  }

  /** A client that reconnects; its answers come line by line. */
  private static String[] qemuIo(int port, IntFunction<String> commandOf) {
    List<String> all =
        new ArrayList<>(List.of("stdbuf", "-oL", "qemu-io", "--image-opts", image(port, "disk")));
    for (int i = 0; i < WRITES; i++) {
      all.addAll(List.of("-c", commandOf.apply(i)));
    }
    all.addAll(List.of("-c", "aio_flush", "-c", "flush"));
    return all.toArray(String[]::new);
  }

  /** A volume as qemu-io takes it, which connects anew for a minute. */
  private static String image(int port, String volume) {
    return "driver=raw,file.driver=nbd,file.server.type=inet,file.server.host=127.0.0.1,file.server.port="
        + port
        + ",file.export="
        + volume
        + ",file.reconnect-delay=60";
  }

  /** The address is another one: whose volume it is, and since when, is told. */
  private static void assertThatAnotherBridgeIsRefused(LocalCluster cluster) throws Exception {
    Shell.Result refused =
        Shell.tryRun(
            StandaloneProcess.java(
                    "-Xmx256m",
                    Salus.class.getName(),
                    "nbd",
                    "disk",
                    "--zookeeper",
                    cluster.zookeeper(),
                    "--listen",
                    "127.0.0.1:" + StandaloneProcess.freePort())
                .toArray(String[]::new));
    assertThat(refused.code()).isEqualTo(Salus.FAILED);
    assertThat(refused.output()).contains("is mounted by").contains("since").contains("--force");
  }
}
