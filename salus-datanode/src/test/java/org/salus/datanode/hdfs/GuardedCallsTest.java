package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.ha.ReadOnly;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.salus.core.Quota;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.TestHdfs;

/** Calls every method of a running NameNode that takes a path or a block. */
@Tag("cluster")
class GuardedCallsTest {
  private static final String FILE = "/salus/disk-1/0000/log-1";
  private static final Pattern COMMAND = Pattern.compile("'hdfs dfsadmin ([^']+)'");

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

  @ParameterizedTest
  @EnumSource
  void noCallChangesAVolumesFileWithoutACertificate(GuardedNameNode kind, @TempDir Path dir)
      throws Exception {
    try (TestHdfs t = kind.start(dir, 3)) {
      BlockHandle file = t.files.createBlock(FILE, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      ClientProtocol nameNode = t.hdfs.nameNode().getRpcServer();
      LocatedBlock block = nameNode.getBlockLocations(FILE, 0, 1).getLastLocatedBlock();
      int asked = 0;
      for (Method method : ClientProtocol.class.getMethods()) {
        if (!method.isAnnotationPresent(ReadOnly.class)
            && !GuardedMethods.CLIENTS.contains(method.getName())) {
          Object[] arguments =
              Arrays.stream(method.getParameterTypes())
                  .map(x -> argument(x, block, file.fileId()))
                  .toArray();
          long before = GuardMetrics.refusals();
          assertThatThrownBy(() -> method.invoke(nameNode, arguments))
              .as("%s", method)
              .isInstanceOf(InvocationTargetException.class)
              .hasCauseInstanceOf(AccessControlException.class);
          assertThat(GuardMetrics.refusals() > before)
              .as("%s is counted, unless HDFS itself calls it", method)
              .isEqualTo(!method.getName().equals("reportBadBlocks"));
          asked++;
        }
      }
      assertThat(asked).isGreaterThan(30);
      assertThat(t.files.locate(FILE).orElseThrow().open()).isTrue();
      attributesOfTheRoot(nameNode);
      quotasOfAllVolumes(t, nameNode);
      snapshotsOfBefore(t, nameNode);
      commandsThatAreTold(t);
    }
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(AccessControlException.class)
        .hasMessageContaining("would apply to the volumes");
  }

  /** Quotas from before the NameNode was guarded can be widened, and nothing else. */
  private static void quotasOfAllVolumes(TestHdfs t, ClientProtocol nameNode) throws Exception {
    long keep = HdfsConstants.QUOTA_DONT_SET;
    long none = HdfsConstants.QUOTA_RESET;
    for (String directory : List.of("/", "/salus")) {
      refusedQuota(nameNode, directory, 1 << 20, keep, null); // where there is none
      refusedQuota(nameNode, directory, keep, 1L << 40, null);
      refusedQuota(nameNode, directory, keep, 1L << 40, StorageType.DISK);
      unguarded(t, directory, 200, 1L << 40);
      unguarded(t, directory, keep, 1L << 39, StorageType.DISK);

      refusedQuota(nameNode, directory, 199, keep, null);
      refusedQuota(nameNode, directory, 300, (1L << 40) - 1, null);
      refusedQuota(nameNode, directory, 199, none, null);
      refusedQuota(nameNode, directory, keep, (1L << 39) - 1, StorageType.DISK);
      refusedQuota(nameNode, directory, keep, 1L << 40, StorageType.SSD);
      assertQuotas(nameNode, directory, 200, 1L << 40, 1L << 39);

      nameNode.setQuota(directory, 300, keep, null);
      nameNode.setQuota(directory + "/", keep, 1L << 41, null);
      nameNode.setQuota(directory, keep, 3L << 38, StorageType.DISK);
      assertQuotas(nameNode, directory, 300, 1L << 41, 3L << 38);
      nameNode.setQuota(directory, 300, none, null);
      nameNode.setQuota(directory, keep, none, StorageType.DISK);
      assertQuotas(nameNode, directory, 300, none, none);
      nameNode.setQuota(directory, none, keep, null);
    }
  }

  /** An operator enters each command that is told when a quota is used up. */
  private static void commandsThatAreTold(TestHdfs t) throws Exception {
    for (String directory : List.of("/", "/salus")) {
      unguarded(t, directory, 50, 1L << 30);
      Quota names = new Quota(directory, true, 50, 50, -1, 0);
      Quota bytes = new Quota(directory, true, -1, 0, 1L << 30, 1L << 30);
      int entered = 0;
      for (Quota told : List.of(names, bytes)) {
        Matcher m = COMMAND.matcher(told.reason().orElseThrow().words());
        while (m.find()) {
          String[] command = m.group(1).replace(" N ", " 2000000000 ").split(" ");
          assertThat(ToolRunner.run(new DFSAdmin(t.hdfs.conf()), command))
              .as("%s", m.group(1))
              .isZero();
          entered++;
        }
      }
      assertThat(entered).isEqualTo(4);
      QuotaUsage now = t.hdfs.nameNode().getRpcServer().getQuotaUsage(directory);
      // HDFS has always a quota for names of the root; at first it is this one
      assertThat(now.getQuota()).isEqualTo(directory.equals("/") ? Long.MAX_VALUE : -1);
      assertThat(now.getSpaceQuota()).isEqualTo(-1);
    }
  }

  /** Snapshots of the root directory from before the NameNode was guarded can be taken away. */
  private static void snapshotsOfBefore(TestHdfs t, ClientProtocol nameNode) throws Exception {
    FSNamesystem namesystem = t.hdfs.nameNode().getNamesystem();
    Method allow = FSNamesystem.class.getDeclaredMethod("allowSnapshot", String.class);
    allow.setAccessible(true);
    allow.invoke(namesystem, "/");
    Method create =
        FSNamesystem.class.getDeclaredMethod(
            "createSnapshot", String.class, String.class, boolean.class);
    create.setAccessible(true);
    create.invoke(namesystem, "/", "old", false);
    assertThatThrownBy(() -> nameNode.createSnapshot("/", "new"))
        .isInstanceOf(AccessControlException.class);
    assertThatThrownBy(() -> nameNode.allowSnapshot("/"))
        .isInstanceOf(AccessControlException.class);
    nameNode.renameSnapshot("/", "old", "older");
    nameNode.deleteSnapshot("/", "older");
    nameNode.disallowSnapshot("/");
    assertThat(nameNode.getFileInfo(FILE)).isNotNull();
  }

  /** Sets quotas as a NameNode without a guard would. */
  private static void unguarded(TestHdfs t, String directory, long names, long bytes)
      throws Exception {
    unguarded(t, directory, names, bytes, null);
  }

  private static void unguarded(
      TestHdfs t, String directory, long names, long bytes, StorageType type) throws Exception {
    Method set =
        FSNamesystem.class.getDeclaredMethod(
            "setQuota", String.class, long.class, long.class, StorageType.class);
    set.setAccessible(true);
    set.invoke(t.hdfs.nameNode().getNamesystem(), directory, names, bytes, type);
  }

  private static void refusedQuota(
      ClientProtocol nameNode, String directory, long names, long bytes, StorageType type) {
    assertThatThrownBy(() -> nameNode.setQuota(directory, names, bytes, type))
        .as("%s: %s names, %s bytes of %s", directory, names, bytes, type)
        .isInstanceOf(AccessControlException.class);
  }

  private static void assertQuotas(
      ClientProtocol nameNode, String directory, long names, long bytes, long disk)
      throws IOException {
    QuotaUsage usage = nameNode.getQuotaUsage(directory);
    assertThat(usage.getQuota()).isEqualTo(names);
    assertThat(usage.getSpaceQuota()).isEqualTo(bytes);
    assertThat(usage.getTypeQuota(StorageType.DISK)).isEqualTo(disk);
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
