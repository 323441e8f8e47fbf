package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.path.FilePath;
import org.salus.datanode.hdfs.Change;

@Tag("cluster")
class GuardTest {
  private static final byte[] WRONG = "wrong".getBytes(StandardCharsets.US_ASCII);
  private static final String FILE = "/salus/disk-1/0000/log-1";
  @TempDir Path dir;

  private static void refused(byte[] certificate, Certified.Call<?> call) {
    assertThatThrownBy(
            () -> {
              if (certificate == null) {
                call.run();
              } else {
                Certified.call(certificate, call);
              }
            })
        .isInstanceOf(IOException.class)
        .hasStackTraceContaining("AccessControlException")
        .hasMessageContaining("certificate");
  }

  @Test
  void changesOfVolumeFilesAreRefusedHoweverTheyAreNamedAndOthersAreFree() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      BlockHandle handle =
          t.files.createBlock(FILE, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      t.files.createDirectory("/salus/other", TestHdfs.CERT);
      ClientProtocol nn = t.files.nameNode();
      ExtendedBlock block = handle.blockOfLength(77);
      String holder = FilePath.holder(FILE);
      long id = handle.fileId();
      for (byte[] certificate : new byte[][] {null, WRONG}) {
        refused(certificate, () -> nn.mkdirs("/salus/x", FsPermission.getDirDefault(), true));
        refused(certificate, () -> nn.delete(FILE, false));
        refused(certificate, () -> nn.delete("//salus//disk-1/", true));
        refused(certificate, () -> nn.delete("/.reserved/.inodes/" + id, false));
        refused(certificate, () -> nn.delete("/.reserved/raw" + FILE, false));
        refused(certificate, () -> nn.delete("/salus", true));
        refused(certificate, () -> nn.delete("/", true));
        refused(certificate, () -> nn.rename("/salus/disk-1", "/mine"));
        refused(
            certificate,
            () -> {
              nn.rename2("/salus", "/mine", Options.Rename.NONE);
              return null;
            });
        refused(certificate, () -> nn.complete("/elsewhere", holder, block, id));
        refused(certificate, () -> nn.addBlock("/elsewhere", holder, null, null, id, null, null));
        refused(certificate, () -> nn.complete("/elsewhere", holder, block, 0));
        refused(certificate, () -> nn.updateBlockForPipeline(block, holder));
        refused(
            certificate,
            () -> {
              nn.updatePipeline(
                  holder,
                  block,
                  block,
                  handle.located().getLocations(),
                  handle.located().getStorageIDs());
              return null;
            });
        refused(
            certificate,
            () -> {
              nn.reportBadBlocks(new LocatedBlock[] {handle.located()});
              return null;
            });
        refused(certificate, () -> nn.setReplication(FILE, (short) 2));
        refused(certificate, () -> nn.setReplication("/.reserved/.inodes/" + id, (short) 1));
        refused(certificate, () -> nn.recoverLease(FILE, "me"));
      }
      assertThat(nn.mkdirs("/free/dir", FsPermission.getDirDefault(), true)).isTrue();
      refused(null, () -> nn.rename("/free/dir", "/salus/other"));
      assertThat(nn.rename("/free/dir", "/free/moved")).isTrue();
      assertThat(nn.delete("/free", true)).isTrue();
      assertThat(nn.getFileInfo(FILE)).isNotNull();
      assertThat(PermitByFirstByte.ASKED)
          .anySatisfy(
              change -> {
                assertThat(change.op()).isEqualTo(Change.Op.COMPLETE);
                assertThat(change.path()).isEqualTo(FILE);
                assertThat(change.signature()).isEqualTo(WRONG);
                assertThat(change.length()).isEqualTo(77);
              });
    }
  }
}
