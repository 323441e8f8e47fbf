package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.OpenBody;
import org.salus.core.log.Permission;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.path.SpecName;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.hdfs.Change;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.TestGuard;
import org.salus.host.netty.Loops;

/** Shows a real NameNode, behind the guard of certificates, the permission to create a file. */
@Tag("cluster")
class CreationTest {
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 1, 4096, 1000, 1, false, VolumeSpec.MIN_SEGMENT);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  private static final byte[] DATA = TestHdfs.bytes(100_000, 7);

  /** Can be turned off. */
  public static final class Guard extends TestGuard {
    static volatile boolean off;

    @Override
    public void check(Change change) throws AccessControlException {
      if (!off) {
        super.check(change);
      }
    }
  }

  private final Signer signer = new Signer(new byte[0]);
  private EmbeddedHdfs hdfs;
  private VolumeFiles files;
  private ClientProtocol nameNode;

  @BeforeEach
  void start(@TempDir Path dir) throws IOException {
    Configuration conf = new Configuration();
    conf.setClass(ChangeGuard.CLASS_KEY, Guard.class, ChangeGuard.class);
    hdfs = EmbeddedHdfs.start(dir, MEMBERS.size(), conf);
    files = new VolumeFiles(hdfs.conf());
    nameNode = files.nameNode();
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS.size(); i++) {
      members.add(new Member(MEMBERS.get(i), 7, hdfs.dataNodeAddress(i)));
    }
    EpochLink first = EpochLink.first(SPEC.regionId(0), 1, members, members, signer);
    files.openEpoch(FilePath.directory(SPEC, 0), first);
  }

  @AfterEach
  void stop() throws IOException {
    files.close();
    hdfs.stop();
  }

  private static String path(long segment) {
    return FilePath.of(SPEC, 0, Kind.LOG, segment);
  }

  private byte[] certified(LogRecord.Type type, byte[] content) {
    LogRecord r = new LogRecord(type, SPEC.regionId(0), 1, new Position(1, 0), content);
    return r.permission(MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList());
  }

  /** What lets the NameNode count replicas, with the words of these members. */
  private byte[] words(byte[] manifest, List<String> by) throws MalformedException {
    LogRecord r = Permission.decode(manifest).record();
    return new WrittenManifest(
            manifest, by.stream().map(m -> WrittenManifest.word(r, m, signer)).toList())
        .encode();
  }

  private byte[] roll(long next) {
    return certified(LogRecord.Type.ROLL, new RollBody(next).encode());
  }

  private List<String> dataNodes() {
    return List.of(hdfs.dataNodeAddress(0), hdfs.dataNodeAddress(1), hdfs.dataNodeAddress(2));
  }

  private static void refused(byte[] certificate, Certified.Call<?> call) {
    assertThatThrownBy(() -> Certified.call(certificate, call))
        .isInstanceOfSatisfying(
            VolumeFileException.class,
            e -> assertThat(e.kind()).isEqualTo(VolumeFileException.Kind.REFUSED));
  }

  private Certified.Call<?> create(String path, short replicas, CreateFlag... flags) {
    return create(path, FsPermission.getFileDefault(), FilePath.holder(path), replicas, flags);
  }

  private Certified.Call<?> create(
      String path, FsPermission mode, String holder, short replicas, CreateFlag... flags) {
    return () ->
        nameNode.create(
            path,
            mode,
            holder,
            new EnumSetWritable<>(EnumSet.copyOf(Arrays.asList(flags))),
            true,
            replicas,
            TestHdfs.BLOCK,
            CryptoProtocolVersion.supported(),
            null,
            null);
  }

  @Test
  void thePermissionToCreateASegmentDestroysNothingOfIt() throws Exception {
    byte[] roll = roll(2);
    BlockHandle handle = files.createBlock(path(2), TestHdfs.BLOCK, dataNodes(), roll);
    String holder = FilePath.holder(path(2));
    long id = handle.fileId();
    try (Loops loops = TestHdfs.loops()) {
      ReplicaWriter writer = ReplicaWriter.create(handle, 0, hdfs.conf(), loops.loop(0));
      TestHdfs.get(TestHdfs.append(writer, DATA, 0, DATA.length, true));
      refused(
          roll,
          () -> {
            nameNode.abandonBlock(handle.located().getBlock(), id, path(2), holder);
            return null;
          });
      for (long length : new long[] {0, 512, DATA.length}) {
        refused(
            roll,
            () ->
                nameNode.addBlock(
                    path(2),
                    holder,
                    handle.blockOfLength(length),
                    new DatanodeInfo[0],
                    id,
                    null,
                    EnumSet.noneOf(AddBlockFlag.class)));
        for (byte[] shown : List.of(roll, words(roll, MEMBERS))) {
          refused(
              shown, () -> nameNode.complete(path(2), holder, handle.blockOfLength(length), id));
        }
      }
      refused(roll, create(path(2), (short) 3, CreateFlag.CREATE, CreateFlag.OVERWRITE));
      refused(roll, create(path(2), (short) 3, CreateFlag.CREATE));
      refused(roll, () -> nameNode.delete(path(2), true));
      refused(words(roll, MEMBERS), () -> nameNode.delete(path(2), true));
      writer.close();
    }
    BlockHandle now = files.locate(path(2)).orElseThrow();
    assertThat(now.blockId()).isEqualTo(handle.blockId());
    assertThat(
            TestHdfs.all(
                LocalReplicaReader.open(
                    now, now.indexOf(dataNodes().get(0)), hdfs.dataNodeConf(0))))
        .isEqualTo(DATA);
  }

  @Test
  void aRecoveryThatLeavesAMembersReplicaBehindIsRefused() throws Exception {
    BlockHandle handle = files.createBlock(path(2), TestHdfs.BLOCK, dataNodes(), roll(2));
    byte[] open =
        certified(
            LogRecord.Type.OPEN, new OpenBody(MEMBERS, List.of(new SegmentEnd(2, 0)), 3).encode());
    String holder = FilePath.holder(path(2));
    LocatedBlock old = handle.located();
    ExtendedBlock next =
        Certified.call(open, () -> nameNode.updateBlockForPipeline(old.getBlock(), holder))
            .getBlock();
    byte[] manifest =
        certified(
            LogRecord.Type.MANIFEST,
            new LogState().manifest(MEMBERS, List.of(new SegmentEnd(2, 0))).encode());
    byte[] all = words(manifest, MEMBERS);
    IntFunction<Certified.Call<?>> keep =
        count ->
            () -> {
              nameNode.updatePipeline(
                  holder,
                  old.getBlock(),
                  next,
                  Arrays.copyOf(old.getLocations(), count),
                  Arrays.copyOf(old.getStorageIDs(), count));
              return null;
            };
    refused(all, keep.apply(1));
    refused(all, keep.apply(2));
    for (byte[] tooLittle : List.of(open, manifest, words(manifest, MEMBERS.subList(0, 2)))) {
      refused(tooLittle, keep.apply(3)); // the epoch may never serve
    }
    assertThatThrownBy(() -> Certified.call(all, keep.apply(3)))
        .as("no member's is left behind, but none has the stamp")
        .isInstanceOf(UnreportedException.class);
  }

  @Test
  void aSegmentIsCreatedWholeUnderItsOwnNameOrNotAtAll() throws Exception {
    byte[] roll = roll(2);
    refused(roll, create(path(2), (short) 1, CreateFlag.CREATE, CreateFlag.SHOULD_REPLICATE));
    refused(roll, create(path(2), (short) 3, CreateFlag.CREATE, CreateFlag.LAZY_PERSIST));
    refused(roll, create(path(2).replace("-0", "-00"), (short) 3, CreateFlag.CREATE));
    // Nobody else could recover the file, or nobody could read it.
    FsPermission none = new FsPermission((short) 0);
    refused(roll, create(path(2), none, FilePath.holder(path(2)), (short) 3, CreateFlag.CREATE));
    FsPermission usual = FsPermission.getFileDefault();
    refused(roll, create(path(2), usual, "x", (short) 3, CreateFlag.CREATE));
    List<String> two = dataNodes().subList(0, 2);
    for (List<String> elsewhere :
        List.of(
            two,
            List.of(two.get(0), two.get(1), two.get(1)),
            List.of(two.get(0), two.get(1), "127.0.0.99:1"))) {
      refused(roll, () -> files.createBlock(path(2), TestHdfs.BLOCK, elsewhere, roll));
    }
    assertThat(files.locate(path(2))).as("the file has no block").isEmpty();
    assertThat(files.createBlock(path(2), TestHdfs.BLOCK, dataNodes(), roll).dataNodes())
        .isEqualTo(dataNodes());
  }

  private WrittenManifest manifest(long at, List<SegmentEnd> live) {
    LogRecord r =
        new LogRecord(
            LogRecord.Type.MANIFEST,
            SPEC.regionId(0),
            1,
            new Position(at, 0),
            new LogState().manifest(MEMBERS, live).encode());
    return new WrittenManifest(
        r.permission(MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList()),
        MEMBERS.stream().map(m -> WrittenManifest.word(r, m, signer)).toList());
  }

  private byte[] keeping(long... live) {
    return manifest(9, Arrays.stream(live).mapToObj(s -> new SegmentEnd(s, 0)).toList()).encode();
  }

  @Test
  void aDeletedSegmentIsNeverCreatedAgainAndTheOldestIsDeletedFirst() throws Exception {
    files.epochServes(FilePath.directory(SPEC, 0), manifest(1, List.of()));
    for (long s = 2; s <= 5; s++) {
      files.createBlock(path(s), TestHdfs.BLOCK, dataNodes(), roll(s));
    }
    byte[] discards = keeping(5);
    refused(discards, () -> nameNode.delete(path(3), true));
    refused(discards, () -> nameNode.delete(path(4), true));
    byte[] leavesTwo = keeping(2, 4, 5);
    files.delete(path(3), leavesTwo); // an epoch that never served may have left it
    files.delete(path(2), discards);
    for (long s = 2; s <= 3; s++) {
      long number = s;
      refused(
          roll(number),
          () -> files.createBlock(path(number), TestHdfs.BLOCK, dataNodes(), roll(number)));
    }
    files.delete(path(4), discards);
    Certified.call(
        roll(6), create(path(6), (short) 3, CreateFlag.CREATE, CreateFlag.SHOULD_REPLICATE));
    files.createBlock(path(7), TestHdfs.BLOCK, dataNodes(), roll(7));
    // The file of a creation that was held back on its way gets no block.
    refused(roll(6), () -> files.createBlock(path(6), TestHdfs.BLOCK, dataNodes(), roll(6)));
    assertThat(files.list(FilePath.directory(SPEC, 0)).stream().map(f -> f.name()))
        .containsExactly("log-00000005", "log-00000006", "log-00000007");
  }

  @Test
  void nobodyMakesDirectoriesButThatOfTheShapeAndOneInTheWayIsRemoved() throws Exception {
    byte[] open = certified(LogRecord.Type.OPEN, new OpenBody(MEMBERS, List.of(), 1).encode());
    String region = FilePath.directory(SPEC, 0);
    for (String name : List.of("log-4294967296", "log-00000003", "log-00000001", "x")) {
      for (byte[] certificate : List.of(open, roll(3), new byte[] {1})) {
        refused(
            certificate,
            () -> nameNode.mkdirs(region + "/" + name, FsPermission.getDirDefault(), true));
      }
    }
    String shape = SpecName.path(SPEC, signer);
    refused(roll(3), () -> nameNode.mkdirs(shape, FsPermission.getDirDefault(), true));
    files.createDirectory(shape, open);
    int name = shape.lastIndexOf('/');
    assertThat(files.directories(shape.substring(0, name)))
        .containsExactly("0000", shape.substring(name + 1));

    Guard.off = true; // as if an older version had let it through
    try {
      files.createDirectory(region + "/log-00000002", open);
      files.createDirectory(region + "/log-99999999", open);
    } finally {
      Guard.off = false;
    }
    assertThat(files.list(region)).isEmpty();
    refused(roll(3), () -> nameNode.delete(path(2), true));
    files.createBlock(path(2), TestHdfs.BLOCK, dataNodes(), roll(2));
    assertThat(files.list(region)).hasSize(1);
  }
}
