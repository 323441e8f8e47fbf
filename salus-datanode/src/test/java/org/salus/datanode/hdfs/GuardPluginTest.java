package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ExitUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/** Tests that no NameNode goes on without the guard that it is told to have. */
@Tag("cluster")
class GuardPluginTest {
  @TempDir Path dir;

  @BeforeEach
  void noteExits() {
    ExitUtil.disableSystemExit();
    ExitUtil.resetFirstExitException();
  }

  @AfterEach
  void forgetExits() {
    ExitUtil.resetFirstExitException();
  }

  @Test
  void aGuardThatCannotBeMadeEndsTheNameNode() throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    HdfsSettings settings = HdfsSettings.of(dir, ServerAddresses.LOOPBACK, 0, new Configuration());
    Configuration conf = settings.nameNode();
    conf.set(ChangeGuard.CLASS_KEY, "org.salus.Misspelt");
    NameNode nameNode = GuardedNameNode.STOCK.start(conf);
    try {
      assertThat(ExitUtil.terminateCalled()).isTrue();
      assertThat(ExitUtil.getFirstExitException().getExitCode()).isEqualTo(1);
      assertThat(ExitUtil.getFirstExitException())
          .hasMessageContaining("the NameNode ends")
          .hasMessageContaining("org.salus.Misspelt");
    } finally {
      nameNode.stop();
      nameNode.join();
    }
  }

  @Test
  void aStockNameNodeDoesNotAnswerForAGuard() throws Exception {
    try (EmbeddedHdfs hdfs =
            EmbeddedHdfs.start(dir, 0, new Configuration(), GuardedNameNode::stock);
        VolumeFiles files = new VolumeFiles(hdfs.conf())) {
      assertThat(files.isGuarded()).isFalse();
    }
  }

  @Test
  void leasesThatEndAreRefused() {
    Configuration conf = new Configuration(false);
    assertThatThrownBy(() -> GuardPlugin.requireLongLeases(conf))
        .hasMessageContaining("dfs.namenode.lease-hard-limit-sec is 1200")
        .hasMessageContaining("hdfs-site.xml to 315360000");
    conf.setLong("dfs.namenode.lease-hard-limit-sec", 315_360_000);
    assertThatCode(() -> GuardPlugin.requireLongLeases(conf)).doesNotThrowAnyException();
  }
}
