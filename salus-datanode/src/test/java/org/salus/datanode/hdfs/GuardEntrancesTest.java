package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.ToolRunner;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.TestHdfs;
import org.salus.host.ServerPorts;

/**
 * Tries every way into a NameNode, guarded in either way: RPC as the block driver, {@code hdfs dfs}
 * and HttpFS use it, the DataNodes' RPC, WebHDFS, and fsck.
 */
@Tag("cluster")
class GuardEntrancesTest {
  private static final String FILE = "/salus/disk-1/0000/log-1";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  @ParameterizedTest
  @EnumSource
  void noEntranceIsOpen(GuardedNameNode kind, @TempDir Path dir) throws Exception {
    Configuration conf = new Configuration();
    InetSocketAddress service = freeAddress();
    conf.set(
        DFSConfigKeys.DFS_NAMENODE_SERVICE_RPC_ADDRESS_KEY,
        service.getHostString() + ":" + service.getPort());
    try (TestHdfs t = kind.start(dir, 3, conf);
        DistributedFileSystem files =
            (DistributedFileSystem) FileSystem.newInstance(t.hdfs.nameNodeUri(), t.hdfs.conf())) {
      BlockHandle open = t.files.createBlock(FILE, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      assertThat(t.files.isGuarded()).isTrue();
      rpc(files);
      URI client = t.hdfs.nameNodeUri();
      for (InetSocketAddress port :
          List.of(service, new InetSocketAddress(client.getHost(), client.getPort()))) {
        dataNodesRpc(t, port);
      }
      webHdfs(t, open);
      finish(t, open);
      fsck(t, files);
      assertThat(t.files.locate(FILE)).isPresent();
      assertThat(files.getFileStatus(path(FILE)).getLen()).isEqualTo(1000);
    }
  }

  private static InetSocketAddress freeAddress() throws IOException {
    try (var socket = ServerPorts.HDFS.take("127.0.0.1")) {
      return new InetSocketAddress("127.0.0.1", socket.getLocalPort());
    }
  }

  private static org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(AccessControlException.class)
        .hasMessageContaining("needs a certificate");
  }

  private static void rpc(DistributedFileSystem files) throws IOException {
    refused(() -> files.delete(path(FILE), false));
    refused(() -> files.delete(path("/salus"), true));
    refused(() -> files.rename(path(FILE), path("/mine")));
    refused(() -> files.rename(path(FILE), path("/mine"), Options.Rename.OVERWRITE));
    refused(() -> files.setPermission(path(FILE), new FsPermission((short) 0777)));
    refused(() -> files.truncate(path(FILE), 0));
    refused(() -> files.create(path(FILE), true));
    refused(() -> files.append(path(FILE)));
    refused(() -> files.concat(path(FILE), new org.apache.hadoop.fs.Path[] {path("/other")}));
    refused(() -> files.setReplication(path(FILE), (short) 1));
    refused(
        () -> files.setXAttr(path(FILE), "user.x", new byte[0], EnumSet.of(XAttrSetFlag.CREATE)));
    files.create(path("/free/rpc")).close();
    assertThat(files.delete(path("/free/rpc"), false)).isTrue();
  }

  /** A DataNode that has recovered a block says so. */
  private static void dataNodesRpc(TestHdfs t, InetSocketAddress port) throws IOException {
    ExtendedBlock block =
        t.hdfs
            .nameNode()
            .getRpcServer()
            .getBlockLocations(FILE, 0, 1)
            .getLastLocatedBlock()
            .getBlock();
    try (DatanodeProtocolClientSideTranslatorPB dataNode =
        new DatanodeProtocolClientSideTranslatorPB(port, t.hdfs.conf())) {
      assertThatThrownBy(
              () ->
                  dataNode.commitBlockSynchronization(
                      block,
                      block.getGenerationStamp() + 1,
                      0,
                      true,
                      false,
                      new DatanodeID[0],
                      new String[0]))
          .as("at %s", port)
          .isInstanceOf(RemoteException.class)
          .hasMessageContaining("commitBlockSynchronization is not allowed on " + FILE);
    }
  }

  private static void webHdfs(TestHdfs t, BlockHandle file) throws IOException {
    for (String name : List.of(FILE, "/.reserved/.inodes/" + file.fileId(), "//salus/disk-1")) {
      refused(t, "DELETE", name + "?op=DELETE&recursive=true");
    }
    refused(t, "DELETE", "/?op=DELETE&recursive=true");
    refused(t, "PUT", FILE + "?op=RENAME&destination=/mine");
    refused(t, "PUT", "/free?op=RENAME&destination=/salus/disk-1/free");
    refused(t, "PUT", FILE + "?op=SETPERMISSION&permission=777");
    refused(t, "PUT", FILE + "?op=SETOWNER&owner=somebody");
    refused(t, "PUT", FILE + "?op=SETREPLICATION&replication=1");
    refused(t, "PUT", FILE + "?op=SETTIMES&modificationtime=1");
    refused(t, "PUT", FILE + "?op=SETXATTR&xattr.name=user.x&xattr.value=1&flag=CREATE");
    refused(t, "PUT", "/salus/more?op=MKDIRS");
    refused(t, "POST", FILE + "?op=TRUNCATE&newlength=0");
    refused(t, "POST", FILE + "?op=CONCAT&sources=/free/web");
    refused(t, "PUT", FILE + "?op=CREATE&overwrite=true");
    refused(t, "POST", FILE + "?op=APPEND");
    assertThat(call(t, "PUT", "/free/web?op=CREATE").code).isEqualTo(201);
    assertThat(call(t, "DELETE", "/free/web?op=DELETE").code).isEqualTo(200);
  }

  private static void refused(TestHdfs t, String method, String what) throws IOException {
    Answer answer = call(t, method, what);
    assertThat(answer.code).as("%s %s: %s", method, what, answer.words).isEqualTo(403);
    assertThat(answer.words).contains("AccessControlException").contains("needs a certificate");
  }

  /**
   * An answer of WebHDFS.
   *
   * @param words empty after a success
   */
  private record Answer(int code, String words) {}

  /** Calls WebHDFS, and goes on at the DataNode to which the NameNode sends it. */
  private static Answer call(TestHdfs t, String method, String what) throws IOException {
    String user = System.getProperty("user.name");
    String http = t.hdfs.conf().get(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY);
    URI to = URI.create("http://" + http + "/webhdfs/v1" + what + "&user.name=" + user);
    for (; ; ) {
      HttpURLConnection connection = (HttpURLConnection) to.toURL().openConnection();
      connection.setInstanceFollowRedirects(false);
      connection.setRequestMethod(method);
      int code = connection.getResponseCode();
      if (code != 307) {
        try (var words = connection.getErrorStream()) {
          return new Answer(
              code, words == null ? "" : new String(words.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
      to = URI.create(connection.getHeaderField("Location"));
    }
  }

  private static void finish(TestHdfs t, BlockHandle open) throws Exception {
    List<ReplicaWriter> writers = t.writers(open);
    for (ReplicaWriter writer : writers) {
      TestHdfs.get(TestHdfs.append(writer, TestHdfs.bytes(1000, 1), 0, 1000, true));
      TestHdfs.get(writer.finish(true));
    }
    t.files.complete(FILE, open, 1000, TestHdfs.CERT);
  }

  /** fsck deletes files that have lost their blocks, but no volume's. */
  private static void fsck(TestHdfs t, DistributedFileSystem files) throws Exception {
    try (var out = files.create(path("/free/lost"))) {
      out.write(1);
    }
    for (int i = 0; i < 3; i++) {
      t.hdfs.stopDataNode(i);
    }
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (files.getMissingBlocksCount() < 2) {
      assertThat(System.nanoTime()).as("the blocks are lost").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    for (String option : List.of("-move", "-delete")) {
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      ToolRunner.run(
          new DFSck(t.hdfs.conf(), new PrintStream(said, true, StandardCharsets.UTF_8)),
          new String[] {"/", option});
      assertThat(said.toString(StandardCharsets.UTF_8)).contains("CORRUPT").contains(FILE);
      assertThat(files.exists(path(FILE))).as(option).isTrue();
    }
    assertThat(files.exists(path("/free/lost"))).isFalse();
  }
}
