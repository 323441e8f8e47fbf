package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ExitUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/** Starts NameNodes on what they may find, and with options. */
@Tag("cluster")
class SalusNameNodeTest {
  @TempDir Path dir;
  private Configuration conf;

  @BeforeEach
  void configure() throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    ExitUtil.disableSystemExit();
    conf = HdfsSettings.of(dir, ServerAddresses.LOOPBACK, 0, new Configuration()).nameNode();
  }

  @AfterEach
  void forgetExits() {
    ExitUtil.resetFirstExitException();
  }

  private static void stop(NameNode nameNode) {
    nameNode.stop();
    nameNode.join();
  }

  private Path version() {
    return dir.resolve("namenode/current/VERSION");
  }

  @Test
  void whatIsNotEmptyIsNotFormattedUnasked() throws Exception {
    Path edits = Files.createDirectories(dir.resolve("edits/current")).resolve("edits_inprogress");
    Files.writeString(edits, "all that is left");
    Files.createDirectories(dir.resolve("namenode"));
    conf.set("dfs.namenode.edits.dir", dir.resolve("edits").toUri().toString());
    assertThatThrownBy(() -> SalusNameNode.start(conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(dir.resolve("edits") + " is not empty");
    Path names = Files.writeString(dir.resolve("namenode/fsimage"), "of before");
    conf.unset("dfs.namenode.edits.dir");
    assertThatThrownBy(() -> SalusNameNode.start(conf))
        .hasMessageContaining(dir.resolve("namenode") + " is not empty")
        .hasMessageContaining("-format");
    assertThat(edits).hasContent("all that is left");
    assertThat(names).hasContent("of before");
    assertThat(version()).doesNotExist();
  }

  @Test
  void oneOfSeveralNameNodesIsNotFormattedUnasked() {
    conf.set("dfs.nameservices", "ns");
    conf.set("dfs.ha.namenodes.ns", "a,b");
    conf.set("dfs.namenode.rpc-address.ns.a", conf.get("fs.defaultFS").substring(7));
    conf.set("dfs.namenode.rpc-address.ns.b", "127.0.0.2:8020");
    conf.set("dfs.ha.namenode.id", "a");
    assertThatThrownBy(() -> SalusNameNode.start(conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("-bootstrapStandby")
        .hasMessageContaining(dir.resolve("namenode").toString());
    assertThat(version()).doesNotExist();
  }

  /** An alert counts on it. Nobody asks the guard about a change without a certificate. */
  @Test
  void prometheusSeesEveryChangeThatIsRefused() throws Exception {
    Files.createDirectories(dir.resolve("namenode"));
    conf.setBoolean("hadoop.prometheus.endpoint.enabled", true);
    long before = GuardMetrics.refusals();
    NameNode nameNode = SalusNameNode.start(conf);
    try (DFSClient client = new DFSClient(nameNode.getNameNodeAddress(), conf)) {
      assertThatThrownBy(() -> client.delete(GuardedPaths.ROOT + "/d-1", true))
          .hasMessageContaining("needs a certificate");
      HttpResponse<String> shown =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://" + conf.get("dfs.namenode.http-address") + "/prom"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(shown.body())
          .containsPattern("salus_guard_refused_total\\{[^}]*} " + (before + 1) + "\n");
    } finally {
      stop(nameNode);
    }
  }

  /** The directories have keys of this name service; the keys without one name others. */
  @Test
  void aNameSpaceThatOnlyItsOwnKeysNameIsNotFormatted() throws Exception {
    Files.createDirectories(dir.resolve("namenode"));
    stop(SalusNameNode.start(conf));
    String version = Files.readString(version());
    conf.set("dfs.nameservices", "ns");
    conf.set("dfs.namenode.name.dir.ns", dir.resolve("namenode").toUri().toString());
    conf.set("dfs.namenode.name.dir", dir.resolve("other").toUri().toString());
    stop(SalusNameNode.start(new Configuration(conf)));
    assertThat(version()).hasContent(version);
    assertThat(dir.resolve("other")).doesNotExist();
    List<Path> names = List.of(dir.resolve("namenode"));
    Configuration elsewhere = SalusNameNode.elsewhere(conf, names);
    assertThat(elsewhere.get("dfs.namenode.name.dir.ns")).isNull();
    assertThat(elsewhere.get("dfs.namenode.name.dir")).endsWith("/namenode.new");
  }

  @Test
  void hdfsTakesItsStartupOptionsAndTheGuardIsThere() throws Exception {
    Files.createDirectories(dir.resolve("namenode"));
    stop(SalusNameNode.start(conf));
    String version = Files.readString(version());
    // A test has no terminal, so HDFS must not ask whether it may format.
    assertThatThrownBy(() -> SalusNameNode.start(List.of("-format"), conf))
        .isInstanceOfSatisfying(
            ExitUtil.ExitException.class, e -> assertThat(e.getExitCode()).isEqualTo(1));
    assertThat(version()).hasContent(version);
    assertThatThrownBy(() -> SalusNameNode.start(List.of("-nonsense"), conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("-nonsense");
    NameNode upgraded = SalusNameNode.start(List.of("-upgrade"), conf);
    try (VolumeFiles files = new VolumeFiles(conf)) {
      assertThat(dir.resolve("namenode/previous")).isDirectory();
      assertThat(files.isGuarded()).isTrue();
    } finally {
      stop(upgraded);
    }
  }

  @Test
  void anEmptyDirectoryIsFormattedWhenItIsAsked() {
    assertThatThrownBy(() -> SalusNameNode.start(List.of("-format"), conf))
        .isInstanceOfSatisfying(
            ExitUtil.ExitException.class, e -> assertThat(e.getExitCode()).isZero());
    assertThat(version()).isRegularFile();
  }
}
