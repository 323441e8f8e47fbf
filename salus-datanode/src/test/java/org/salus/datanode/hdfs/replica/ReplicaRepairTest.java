package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.OpenBody;
import org.salus.core.log.Permission;
import org.salus.core.log.Position;
import org.salus.core.log.RepairPermit;
import org.salus.core.log.SegmentEnd;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.TestGuard;
import org.salus.host.netty.Loops;

/** Tests repairs on real DataNodes, behind the guard of certificates. */
@Tag("cluster")
class ReplicaRepairTest {
  private static final RegionId REGION = new RegionId(1, 0);
  private static final String FILE = "/salus/disk-0000000000000001/0000/log-00000001";
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  private static final byte[] DATA = TestHdfs.bytes(300_000, 7);
  private static final Map<String, String> DATA_NODES = new ConcurrentHashMap<>();

  private final Signer signer = new Signer(new byte[0]);

  @TempDir Path dir;

  /** Knows DataNodes. */
  public static final class Guard extends TestGuard {
    @Override
    protected Optional<String> dataNode(String node) {
      return Optional.ofNullable(DATA_NODES.get(node));
    }
  }

  private byte[] certified(LogRecord.Type type, byte[] content) {
    LogRecord r = new LogRecord(type, REGION, 1, new Position(2, 0), content);
    return r.permission(MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList());
  }

  private byte[] manifest() {
    List<SegmentEnd> named = List.of(new SegmentEnd(1, DATA.length));
    return certified(LogRecord.Type.MANIFEST, new LogState().manifest(MEMBERS, named).encode());
  }

  private static EmbeddedHdfs start(Path dir, int dataNodes) throws IOException {
    Configuration conf = new Configuration();
    conf.setClass(ChangeGuard.CLASS_KEY, Guard.class, ChangeGuard.class);
    EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, dataNodes, conf);
    for (int i = 0; i < MEMBERS.size(); i++) {
      DATA_NODES.put(MEMBERS.get(i), hdfs.dataNodeAddress(i));
    }
    return hdfs;
  }

  private BlockHandle write(EmbeddedHdfs hdfs, VolumeFiles files) throws Exception {
    byte[] open = certified(LogRecord.Type.OPEN, new OpenBody(MEMBERS, List.of(), 1).encode());
    List<String> dataNodes = MEMBERS.stream().map(DATA_NODES::get).toList();
    List<Member> members = MEMBERS.stream().map(m -> new Member(m, 7, DATA_NODES.get(m))).toList();
    String directory = FILE.substring(0, FILE.lastIndexOf('/'));
    files.openEpoch(directory, EpochLink.first(REGION, 1, members, members, signer));
    BlockHandle handle = files.createBlock(FILE, TestHdfs.BLOCK, dataNodes, open);
    try (Loops loops = TestHdfs.loops()) {
      for (int i = 0; i < dataNodes.size(); i++) {
        ReplicaWriter writer = ReplicaWriter.create(handle, i, hdfs.conf(), loops.loop(0));
        TestHdfs.get(TestHdfs.append(writer, DATA, 0, DATA.length, false));
        TestHdfs.get(writer.finish(true));
      }
    }
    byte[] first = new LogState().manifest(MEMBERS, List.of()).encode();
    files.epochServes(directory, written(certified(LogRecord.Type.MANIFEST, first), MEMBERS));
    // One member may have the certificate alone.
    for (byte[] alone : List.of(manifest(), written(manifest(), MEMBERS.subList(0, 2)).encode())) {
      assertThatThrownBy(() -> files.complete(FILE, handle, DATA.length, alone))
          .hasMessageContaining("refused");
      assertThatThrownBy(() -> files.delete(FILE, alone)).hasMessageContaining("refused");
    }
    files.complete(FILE, handle, DATA.length, written(manifest(), MEMBERS).encode());
    return files.locate(FILE).orElseThrow();
  }

  private WrittenManifest written(byte[] manifest, List<String> by) throws MalformedException {
    LogRecord of = Permission.decode(manifest).record();
    return new WrittenManifest(
        manifest, by.stream().map(m -> WrittenManifest.word(of, m, signer)).toList());
  }

  private static byte[] replica(EmbeddedHdfs hdfs, BlockHandle handle, int index)
      throws IOException {
    return TestHdfs.all(LocalReplicaReader.open(handle, index, hdfs.dataNodeConf(0)));
  }

  /** Flips a byte, and makes HDFS's own checksum say that it is right. */
  private static void flip(Path block) throws IOException {
    byte[] bytes = Files.readAllBytes(block);
    bytes[1000] ^= 1;
    Files.write(block, bytes);
    BlockMeta.rewrite(block);
  }

  private static Path blockFile(Path dir, String dataNodeDirectory, BlockHandle handle)
      throws IOException {
    try (Stream<Path> all = Files.walk(dir.resolve(dataNodeDirectory))) {
      return all.filter(f -> f.getFileName().toString().equals("blk_" + handle.blockId()))
          .findFirst()
          .orElseThrow();
    }
  }

  private interface Damage {
    void to(Path block) throws IOException;
  }

  private void repairs(int dataNodes, Damage damage) throws Exception {
    try (EmbeddedHdfs hdfs = start(dir, dataNodes);
        VolumeFiles files = new VolumeFiles(hdfs.conf())) {
      BlockHandle handle = write(hdfs, files);
      String bad = DATA_NODES.get("b:1");
      damage.to(blockFile(dir, "datanode1", handle));
      byte[] permit =
          RepairPermit.sign(FILE, manifest(), "b:1", bad, handle.blockId(), signer).encode();
      ReplicaRepair repair = new ReplicaRepair(files, hdfs.dataNodeConf(1));
      repair.replace(handle, bad, permit);
      BlockHandle now = files.locate(FILE).orElseThrow();
      assertThat(now.dataNodes()).hasSize(3);
      assertThat(files.replication(FILE)).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(replica(hdfs, now, i)).as(now.dataNodes().get(i)).isEqualTo(DATA);
        assertThat(TestHdfs.all(RemoteReplicaReader.of(now, i, hdfs.conf())))
            .as("by HDFS's checksums")
            .isEqualTo(DATA);
      }
    }
  }

  @Test
  void aWrongReplicaWithAValidChecksumIsMadeAnewWhereThereAreOnlyThreeDataNodes() throws Exception {
    repairs(3, ReplicaRepairTest::flip);
  }

  @Test
  void aWrongReplicaIsMadeAnewWhereThereAreMoreDataNodes() throws Exception {
    repairs(4, ReplicaRepairTest::flip);
  }

  @Test
  void aLostReplicaThatItsDataNodeStillCountsIsMadeAnew() throws Exception {
    repairs(3, Files::delete);
  }

  @Test
  void aRepairOfAnotherServerIsTakenForCutShortOnlyWhenItTakesLongerThanOneCan() throws Exception {
    try (EmbeddedHdfs hdfs = start(dir, 3);
        VolumeFiles files = new VolumeFiles(hdfs.conf())) {
      BlockHandle handle = write(hdfs, files);
      AtomicLong now = new AtomicLong();
      ReplicaRepair other = new ReplicaRepair(files, hdfs.dataNodeConf(0), now::get);
      assertThat(other.wasCutShort(FILE)).isFalse();
      String bad = DATA_NODES.get("b:1");
      byte[] permit =
          RepairPermit.sign(FILE, manifest(), "b:1", bad, handle.blockId(), signer).encode();
      ReplicaRepair repair = new ReplicaRepair(files, hdfs.dataNodeConf(1));
      repair.askToDrop(handle, bad, permit);
      assertThat(other.wasCutShort(FILE)).isFalse();
      now.addAndGet(TimeUnit.SECONDS.toNanos(70));
      assertThat(other.wasCutShort(FILE)).isFalse();
      assertThat(other.lacking(List.of(FILE))).as("to be looked at again").containsExactly(FILE);
      now.addAndGet(TimeUnit.SECONDS.toNanos(70));
      assertThat(other.wasCutShort(FILE)).isTrue();
      repair.restoreReplication(FILE, permit);
      assertThat(other.wasCutShort(FILE)).isFalse();
      assertThat(other.lacking(List.of(FILE))).isEmpty();
    }
  }

  @Test
  void whatIsReadPastThePageCacheIsWhatIsOnDiskAndHdfsChecksumsOfItAreChecked() throws Exception {
    try (EmbeddedHdfs hdfs = start(dir, 3);
        VolumeFiles files = new VolumeFiles(hdfs.conf())) {
      BlockHandle handle = write(hdfs, files);
      String own = DATA_NODES.get("b:1");
      assertThat(sumsOf(hdfs, files, handle, own, DATA)).isTrue();
      Path block = blockFile(dir, "datanode1", handle);
      byte[] bytes = Files.readAllBytes(block);
      bytes[200_000] ^= 1;
      Files.write(block, bytes);
      assertThat(sumsOf(hdfs, files, handle, own, bytes)).as("wrong bytes").isFalse();
      BlockMeta.rewrite(block);
      assertThat(sumsOf(hdfs, files, handle, own, bytes))
          .as("wrong bytes with checksums of their own")
          .isTrue();
      Files.write(block, DATA);
      assertThat(sumsOf(hdfs, files, handle, own, DATA))
          .as("right bytes, wrong checksums")
          .isFalse();
      Files.delete(block);
      assertThat(LocalReplicaReader.openUncached(handle, own, files, hdfs.dataNodeConf(1)))
          .isEmpty();
    }
  }

  /** Checks the content, and returns whether all checksums are right. */
  private static boolean sumsOf(
      EmbeddedHdfs hdfs, VolumeFiles files, BlockHandle handle, String own, byte[] content)
      throws IOException {
    int unit = LocalReplicaReader.DIRECT_UNIT;
    ByteBuffer window =
        ByteBuffer.allocateDirect(3 * unit).alignedSlice(unit).limit(2 * unit).slice();
    boolean right = true;
    try (LocalReplicaReader reader =
        LocalReplicaReader.openUncached(handle, own, files, hdfs.dataNodeConf(1)).orElseThrow()) {
      assertThat(reader.length()).isEqualTo(content.length);
      for (int at = 0; at < content.length; at += window.capacity()) {
        window.clear();
        assertThat(reader.read(window, at))
            .isEqualTo(Math.min(window.capacity(), content.length - at));
        window.flip();
        right &= reader.sumsAreRight(window, at);
        assertThat(window).isEqualTo(ByteBuffer.wrap(content, at, window.remaining()));
      }
    }
    return right;
  }

  @Test
  void aServerCannotHaveAnothersReplicaDroppedNorDropOneByAskingForFewer() throws Exception {
    try (EmbeddedHdfs hdfs = start(dir, 3);
        VolumeFiles files = new VolumeFiles(hdfs.conf())) {
      BlockHandle handle = write(hdfs, files);
      String own = DATA_NODES.get("a:1");
      String other = DATA_NODES.get("b:1");
      ReplicaRepair repair = new ReplicaRepair(files, hdfs.dataNodeConf(0));
      byte[] forOther =
          RepairPermit.sign(FILE, manifest(), "a:1", other, handle.blockId(), signer).encode();
      assertThatThrownBy(() -> repair.replace(handle, other, forOther))
          .hasMessageContaining("may not do this");
      byte[] forOwn =
          RepairPermit.sign(FILE, manifest(), "a:1", own, handle.blockId(), signer).encode();
      assertThatThrownBy(() -> repair.replace(handle, other, forOwn))
          .hasMessageContaining("may not do this");
      assertThatThrownBy(
              () -> Certified.call(forOwn, () -> files.nameNode().setReplication(FILE, (short) 2)))
          .hasMessageContaining("may not do this");
      assertThatThrownBy(
              () ->
                  Certified.call(
                      manifest(), () -> files.nameNode().setReplication(FILE, (short) 3)))
          .hasMessageContaining("cannot be read");
      assertThat(files.locate(FILE).orElseThrow().dataNodes()).hasSize(3);
      assertThat(files.replication(FILE)).isEqualTo(3);
    }
  }
}
