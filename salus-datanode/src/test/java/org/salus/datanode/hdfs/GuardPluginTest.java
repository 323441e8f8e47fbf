package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ExitUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;
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

  /** Its register is as a guard has left it, and the NameNode was started again without one. */
  @Test
  void aStockNameNodeAnswersForNoGuardAndLosesNoRegister() throws Exception {
    Signer master = new Signer(new byte[] {1});
    RegionId region = new RegionId(1, 0);
    List<Member> members = List.of(new Member("a", 7, "a:1"), new Member("b", 7, "b:1"));
    EpochLink first = EpochLink.first(region, 1, members, members, master);
    EpochRegister known = new EpochRegister(null, first, LogBefore.NONE);
    String directory = "/salus/disk/0000";
    byte[] content = new LogState().manifest(List.of("a", "b"), List.of()).encode();
    byte[] manifest =
        new LogRecord(LogRecord.Type.MANIFEST, region, 1, new Position(1, 0), content)
            .permission(List.of());
    try (EmbeddedHdfs hdfs =
            EmbeddedHdfs.start(dir, 0, new Configuration(), GuardedNameNode::stock);
        VolumeFiles files = new VolumeFiles(hdfs.conf());
        FileSystem anybody = FileSystem.newInstance(hdfs.conf())) {
      assertThat(files.isGuarded()).isFalse();
      anybody.mkdirs(new org.apache.hadoop.fs.Path(directory));
      anybody.setXAttr(
          new org.apache.hadoop.fs.Path(directory), "user." + VolumeFiles.EPOCHS, known.encode());
      assertThatThrownBy(() -> files.openEpoch(directory, first.next(2, members, master)))
          .hasMessageContaining("has not taken a word")
          .hasMessageContaining(Reason.unguarded().words());
      assertThatThrownBy(
              () -> files.epochServes(directory, new WrittenManifest(manifest, List.of())))
          .hasMessageContaining("has not taken a word");
      assertThat(files.register(directory)).isEqualTo(known);
      assertThatThrownBy(() -> files.requireGivenOut(0))
          .hasMessageContaining("nobody says whether stamp 0 was given out");
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
