package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/** A server has another secret than the cluster. */
@Timeout(1800)
@Tag("cluster")
class RefusedSecretTest {
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  void aServerOfAnotherSecretTakesNoPartAndIsNamedOnBothSides() throws Exception {
    LocalCluster cluster = new LocalCluster(dir.resolve("cluster"));
    try {
      cluster.start(3, Map.of("salus.secret", "ours"), step -> {});
      try (SalusClient client =
          SalusClient.connect(
              Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.secret", "ours"))) {
        client.create("disk", 8 << 20, SalusClient.CreateOptions.DEFAULT);
        DaemonProcess odd = cluster.daemon(Daemon.REGIONSERVER, 2);
        odd.stop();
        setSecret(dir.resolve("cluster/conf/regionserver2.xml"));
        odd.start();
        odd.awaitReady();
        awaitLine("master.log", "127.0.0.13");
        awaitLine("regionserver2.log", "cannot work together");
        Await.until(
            "every region serves without it",
            PATIENCE,
            () ->
                client.info("disk").regions().stream()
                    .allMatch(r -> r.state().equals("SERVING") && r.members().size() == 2));
        DoctorRun said = DoctorRun.of(cluster);
        assertThat(said.code()).isEqualTo(1);
        assertThat(
                said.found("PROBLEM secret: region server 127.0.0.13:", "has another salus.secret"))
            .as("%s", said)
            .isTrue();
        try (Volume v = client.open("disk")) {
          v.write(0, ByteBuffer.wrap(new byte[] {1, 2, 3})).join();
          v.flush().join();
        }
      }
      DaemonProcess bridge =
          cluster.nbd(List.of("disk"), "127.0.0.1:" + StandaloneProcess.freePort());
      bridge.start();
      bridge.awaitReady();
    } finally {
      cluster.kill();
    }
  }

  private static void setSecret(Path file) throws Exception {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    conf.set("salus.secret", "another");
    try (OutputStream to = Files.newOutputStream(file)) {
      conf.writeXml(to);
    }
  }

  private void awaitLine(String name, String text) throws Exception {
    Path file = dir.resolve("cluster/logs").resolve(name);
    Await.until(
        name + " says " + text,
        PATIENCE,
        () ->
            Files.readString(file)
                .lines()
                .anyMatch(line -> line.contains("salus.secret") && line.contains(text)));
  }
}
