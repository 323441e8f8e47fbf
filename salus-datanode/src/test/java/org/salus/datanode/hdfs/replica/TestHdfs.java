package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.MemberPlacement;
import org.salus.datanode.hdfs.netty.PacketStream;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;

/** An embedded HDFS with a guard, and the steps that the tests share. */
public final class TestHdfs implements AutoCloseable {
  public static final byte[] CERT = "Certificate".getBytes(StandardCharsets.US_ASCII);
  public static final long BLOCK = 4 << 20;
  public final EmbeddedHdfs hdfs;
  public final VolumeFiles files;
  public final ReplicaRecovery recovery;
  private final Loops loops = loops();

  public TestHdfs(Path dir, int dataNodes) throws IOException {
    this(dir, dataNodes, new Configuration());
  }

  /**
   * @param base more settings
   */
  public TestHdfs(Path dir, int dataNodes, Configuration base) throws IOException {
    this(dir, dataNodes, base, EmbeddedHdfs::start);
  }

  /** The start of an HDFS; see {@link EmbeddedHdfs#start}. */
  public interface Start {
    EmbeddedHdfs start(Path dir, int dataNodes, Configuration base) throws IOException;
  }

  /**
   * @param base more settings
   */
  public TestHdfs(Path dir, int dataNodes, Configuration base, Start start) throws IOException {
    base.set(ChangeGuard.CLASS_KEY, PermitByFirstByte.class.getName());
    base.set("dfs.block.replicator.classname", MemberPlacement.class.getName());
    hdfs = start.start(dir, dataNodes, base);
    files = new VolumeFiles(hdfs.conf());
    recovery = new ReplicaRecovery(files, hdfs.conf(), loops.loop(0));
  }

  public static Loops loops() {
    return new Loops("test", 1, FaultHandler.stopping("test", () -> {}));
  }

  public List<String> hints(int... dataNodes) {
    List<String> hints = new ArrayList<>();
    for (int i : dataNodes) {
      hints.add(hdfs.dataNodeAddress(i));
    }
    return hints;
  }

  public List<ReplicaWriter> writers(BlockHandle handle) {
    List<ReplicaWriter> writers = new ArrayList<>();
    for (int i = 0; i < handle.dataNodes().size(); i++) {
      writers.add(writer(handle, i));
    }
    return writers;
  }

  public ReplicaWriter writer(BlockHandle handle, int index) {
    return ReplicaWriter.create(handle, index, hdfs.conf(), loops.loop(0));
  }

  /** Starts to write a replica as the request says. */
  ReplicaWriter writer(PacketStream.Setup setup, long length) {
    return ReplicaWriter.start(
        setup, hdfs.conf(), loops.loop(0), length, new byte[(int) (length % PacketStream.CHUNK)]);
  }

  /** The head of a segment, and bytes that stand for what follows. */
  static byte[] log(int length) {
    LogRecord head =
        new LogRecord(
            LogRecord.Type.MANIFEST, new RegionId(1, 0), 1, new Position(1, 0), new byte[0]);
    byte[] log = bytes(length, 6);
    head.headerBuffer().get(log, 0, head.headerBuffer().remaining());
    return log;
  }

  public static byte[] bytes(int n, long seed) {
    byte[] bytes = new byte[n];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  public static CompletableFuture<Long> append(
      ReplicaWriter writer, byte[] from, int off, int len, boolean sync) {
    int half = len / 2;
    ByteBuffer direct =
        ByteBuffer.allocateDirect(len - half).put(from, off + half, len - half).flip();
    return writer.append(List.of(ByteBuffer.wrap(from, off, half), direct), sync);
  }

  public static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  public byte[] replica(BlockHandle handle, int index) throws IOException {
    try (ReplicaReader reader = LocalReplicaReader.open(handle, index, hdfs.dataNodeConf(0))) {
      return all(reader);
    }
  }

  /** A goal that requires the replicas that a handle lists. */
  public static Goal goal(BlockHandle handle, long length, String holder, Map<String, Long> valid) {
    return new Goal(length, holder, valid, handle.dataNodes());
  }

  /**
   * Ends the writing of an open file on the DataNodes that the NameNode lists, reads it while it is
   * open, and completes it.
   */
  public void recover(String path, int length, String holder) throws IOException {
    recover(path, length, holder, files.locate(path).orElseThrow().dataNodes());
  }

  /**
   * Ends the writing of an open file on some DataNodes, reads it while it is open, and completes
   * it.
   */
  public void recover(String path, int length, String holder, List<String> dataNodes)
      throws IOException {
    Goal goal = new Goal(length, holder, Map.of(), dataNodes);
    assertThat(equalize(path, goal)).as("what is behind").isEmpty();
    BlockHandle handle = files.locate(path).orElseThrow();
    for (int i = 0; handle.open() && i < handle.dataNodes().size(); i++) {
      assertThat(replica(handle, i)).as("replica %d of the open file", i).hasSize(length);
      assertThat(all(RemoteReplicaReader.of(handle, i, hdfs.conf()))).hasSize(length);
    }
    if (handle.open()) {
      files.complete(path, handle, length, CERT);
    }
  }

  /** Makes replicas equal and counts them, as an epoch does that serves. Returns what is behind. */
  Set<String> equalize(String path, Goal goal) throws IOException {
    return equalize(path, goal, replica -> true);
  }

  Set<String> equalize(String path, Goal goal, ReplicaRecovery.Check check) throws IOException {
    Set<String> behind = recovery.equalize(path, CERT, goal, check);
    if (behind.isEmpty()) {
      count(path, goal.required());
    }
    return behind;
  }

  /** Counts the equal replicas on these DataNodes. */
  void count(String path, List<String> dataNodes) throws IOException {
    BlockHandle handle = files.locate(path).orElseThrow();
    if (handle.open() && !files.isBlockComplete(path)) {
      long stamp = LocalReplicaReader.stamp(handle, dataNodes.get(0), files, hdfs.dataNodeConf(0));
      recovery.count(path, stamp, dataNodes, CERT);
    }
  }

  public static byte[] all(ReplicaReader reader) throws IOException {
    ByteBuffer all = ByteBuffer.allocate((int) reader.length());
    while (all.hasRemaining() && reader.read(all, all.position()) > 0) {
      continue;
    }
    return all.array();
  }

  @Override
  public void close() throws IOException {
    files.close();
    loops.close();
    hdfs.stop();
  }
}
