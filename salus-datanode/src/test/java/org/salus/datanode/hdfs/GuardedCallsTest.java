package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.ha.ReadOnly;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.TestHdfs;

/** Calls every method of a running NameNode that takes a path or a block. */
@Tag("cluster")
class GuardedCallsTest {
  private static final String FILE = "/salus/disk-1/0000/log-1";

  /** An argument that names the volume's file, wherever a method takes a name of one. */
  private static Object argument(Class<?> type, LocatedBlock block, long id) {
    if (type == String.class) {
      return FILE;
    } else if (type == String[].class) {
      return new String[] {FILE};
    } else if (type == ExtendedBlock.class) {
      return block.getBlock();
    } else if (type == LocatedBlock[].class) {
      return new LocatedBlock[] {block};
    } else if (type == EnumSetWritable.class) {
      return new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE));
    } else if (type == XAttr.class) {
      return attribute(XAttr.NameSpace.USER);
    } else if (type == FsPermission.class) {
      return FsPermission.getDirDefault();
    } else if (type == long.class) {
      return id;
    } else if (type == short.class) {
      return (short) 3;
    } else if (type == int.class) {
      return 1;
    }
    return type == boolean.class ? true : null;
  }

  private static XAttr attribute(XAttr.NameSpace space) {
    return new XAttr.Builder().setNameSpace(space).setName("x").build();
  }

  @Test
  void noCallChangesAVolumesFileWithoutACertificate(@TempDir Path dir) throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      BlockHandle file = t.files.createBlock(FILE, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      ClientProtocol nameNode = t.hdfs.nameNode().getRpcServer();
      LocatedBlock block = nameNode.getBlockLocations(FILE, 0, 1).getLastLocatedBlock();
      int asked = 0;
      for (Method method : ClientProtocol.class.getMethods()) {
        if (!method.isAnnotationPresent(ReadOnly.class)
            && !GuardedRpcServerTest.UNGUARDED.contains(method.getName())) {
          Object[] arguments =
              Arrays.stream(method.getParameterTypes())
                  .map(x -> argument(x, block, file.fileId()))
                  .toArray();
          assertThatThrownBy(() -> method.invoke(nameNode, arguments))
              .as("%s", method)
              .isInstanceOf(InvocationTargetException.class)
              .hasCauseInstanceOf(AccessControlException.class);
          asked++;
        }
      }
      assertThat(asked).isGreaterThan(30);
      assertThat(t.files.locate(FILE).orElseThrow().open()).isTrue();
      attributesOfTheRoot(nameNode);
    }
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(AccessControlException.class)
        .hasMessageContaining("would apply to the volumes");
  }

  private static void attributesOfTheRoot(ClientProtocol nameNode) throws Exception {
    long keep = HdfsConstants.QUOTA_DONT_SET;
    List<AclEntry> acl = AclEntry.parseAclSpec("user:x:rwx", true);
    refused(() -> nameNode.setQuota("/", 100, keep, null));
    refused(() -> nameNode.setQuota("//", keep, 1 << 30, null));
    refused(() -> nameNode.setPermission("/", new FsPermission((short) 0700)));
    refused(() -> nameNode.setStoragePolicy("/", "COLD"));
    refused(() -> nameNode.satisfyStoragePolicy("/"));
    refused(() -> nameNode.setErasureCodingPolicy("/", "RS-3-2-1024k"));
    refused(() -> nameNode.createEncryptionZone("/", "key"));
    refused(() -> nameNode.setAcl("/", acl));
    refused(() -> nameNode.modifyAclEntries("/", acl));
    refused(
        () ->
            nameNode.setXAttr(
                "/.reserved/raw/",
                attribute(XAttr.NameSpace.RAW),
                EnumSet.of(XAttrSetFlag.CREATE)));
    String me = UserGroupInformation.getCurrentUser().getShortUserName();
    for (ThrowingCallable harmless :
        List.<ThrowingCallable>of(
            () -> nameNode.setQuota("/", keep, HdfsConstants.QUOTA_RESET, null),
            () -> nameNode.setPermission("/", new FsPermission((short) 0755)),
            () -> nameNode.setOwner("/", me, null),
            () -> nameNode.mkdirs("/other", FsPermission.getDirDefault(), true),
            () -> nameNode.setQuota("/other", 100, 1 << 30, null),
            () -> nameNode.setStoragePolicy("/other", "COLD"))) {
      assertThatCode(harmless).doesNotThrowAnyException();
    }
  }
}
