package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Permission;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.TestGuard;

/** Tells a real NameNode of epochs, as members do and as others might. */
@Tag("cluster")
class EpochWordsTest {
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 1, 4096, 1000, 2, false, VolumeSpec.MIN_SEGMENT);
  private static final RegionId REGION = SPEC.regionId(0);
  private static final String DIRECTORY = FilePath.directory(SPEC, 0);
  private static final List<String> OLD = List.of("a:1", "b:1", "c:1");
  private static final List<String> NEW = List.of("b:1", "c:1", "d:1");
  private static final byte[] SECRET = "secret".getBytes(StandardCharsets.UTF_8);

  /** Knows one volume. */
  public static final class Guard extends TestGuard {
    @Override
    protected boolean isActive(String volume, long id) {
      return volume.equals(SPEC.name()) && id == SPEC.id();
    }

    @Override
    protected byte[] secret() {
      return SECRET;
    }
  }

  private final Signer master = new Signer(SECRET);
  private final EpochLink first = EpochLink.first(REGION, 1, members(OLD), members(OLD), master);
  private final EpochLink second = first.next(2, members(NEW), master);

  @TempDir Path dir;
  private EmbeddedHdfs hdfs;
  private VolumeFiles files;
  private ClientProtocol nameNode;

  private static List<Member> members(List<String> nodes) {
    return nodes.stream().map(n -> new Member(n, 7, n)).toList();
  }

  @BeforeEach
  void start() throws IOException {
    Configuration conf = new Configuration();
    conf.setClass(ChangeGuard.CLASS_KEY, Guard.class, ChangeGuard.class);
    hdfs = EmbeddedHdfs.start(dir, 3, conf);
    files = new VolumeFiles(hdfs.conf());
    nameNode = files.nameNode();
  }

  @AfterEach
  void stop() throws IOException {
    files.close();
    hdfs.stop();
  }

  private byte[] certified(LogRecord.Type type, int epoch, List<String> by, byte[] content) {
    LogRecord r = new LogRecord(type, REGION, epoch, new Position(1, 0), content);
    return r.permission(by.stream().map(m -> master.sign(m, r.headerBuffer())).toList());
  }

  private byte[] manifest(int epoch, List<String> by) {
    byte[] content = new LogState().manifest(by, List.of()).encode();
    return certified(LogRecord.Type.MANIFEST, epoch, by, content);
  }

  private WrittenManifest proof(int epoch, List<String> by) throws MalformedException {
    byte[] manifest = manifest(epoch, by);
    LogRecord r = Permission.decode(manifest).record();
    return new WrittenManifest(
        manifest, by.stream().map(m -> WrittenManifest.word(r, m, master)).toList());
  }

  /** What the manifest of an epoch says of the log before. */
  private static LogBefore before(int epoch) {
    return new LogBefore(epoch, 1, List.of());
  }

  private interface Call {
    void run() throws Exception;
  }

  private static void refused(Call call, String why) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            VolumeFileException.class,
            e -> assertThat(e.kind()).isEqualTo(VolumeFileException.Kind.REFUSED))
        .hasMessageContaining(why);
  }

  @Test
  void anEpochThatNoMasterHasSignedDoesNotOpen() throws Exception {
    Signer stranger = new Signer("guessed".getBytes(StandardCharsets.UTF_8));
    EpochLink forged = EpochLink.first(REGION, 1, members(OLD), members(OLD), stranger);
    refused(() -> files.openEpoch(DIRECTORY, forged), "no master has signed");
    EpochLink other = EpochLink.first(SPEC.regionId(1), 1, members(OLD), members(OLD), master);
    refused(() -> files.openEpoch(DIRECTORY, other), "of another region");
    assertThat(files.register(DIRECTORY)).isEqualTo(EpochRegister.NONE);
    assertThat(nameNode.getFileInfo(DIRECTORY)).as("it is not even made").isNull();
  }

  @Test
  void onlyAVolumeInUseGetsDirectories() throws Exception {
    VolumeSpec gone = new VolumeSpec("disk", 2, 4096, 1000, 1, false, VolumeSpec.MIN_SEGMENT);
    EpochLink link = EpochLink.first(gone.regionId(0), 1, members(OLD), members(OLD), master);
    refused(
        () -> files.openEpoch(FilePath.directory(gone, 0), link), "ZooKeeper has no such volume");
    refused(() -> files.openEpoch("/salus/x", first), "is not the directory of a region");
    assertThat(nameNode.getFileInfo("/salus")).isNull();
  }

  @Test
  void anOlderEpochDoesNotOpenAndWhatItCertifiesIsRefused() throws Exception {
    files.openEpoch(DIRECTORY, first);
    files.openEpoch(DIRECTORY, first);
    files.epochServes(DIRECTORY, proof(1, OLD));
    files.epochServes(DIRECTORY, proof(1, OLD));
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(first, first, before(1)));
    files.openEpoch(DIRECTORY, second);
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(first, second, before(1)));
    refused(() -> files.openEpoch(DIRECTORY, first), "does not open again");
    refused(() -> files.epochServes(DIRECTORY, proof(1, OLD)), "does not prove");
    byte[] roll = certified(LogRecord.Type.ROLL, 1, OLD, new RollBody(2).encode());
    refused(
        () ->
            files.createBlock(
                FilePath.of(SPEC, 0, FilePath.Kind.LOG, 2), TestHdfs.BLOCK, List.of(), roll),
        "in epoch 2");
  }

  @Test
  void anEpochThatDoesNotBuildOnTheOneThatServedDoesNotOpen() throws Exception {
    files.openEpoch(DIRECTORY, first);
    files.epochServes(DIRECTORY, proof(1, OLD));
    EpochLink anew = EpochLink.first(REGION, 2, members(NEW), members(NEW), master);
    refused(() -> files.openEpoch(DIRECTORY, anew), "does not build on");
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(first, first, before(1)));
  }

  @Test
  void ofTwoEpochsThatBuildOnTheSameOneASingleOneServes() throws Exception {
    files.openEpoch(DIRECTORY, first);
    files.epochServes(DIRECTORY, proof(1, OLD));
    EpochLink third = first.next(3, members(OLD), master);
    files.openEpoch(DIRECTORY, second);
    refused(() -> files.epochServes(DIRECTORY, proof(2, OLD)), "does not prove");
    refused(() -> files.epochServes(DIRECTORY, proof(2, List.of("b:1"))), "does not prove");
    files.epochServes(DIRECTORY, proof(2, NEW));
    refused(() -> files.openEpoch(DIRECTORY, third), "does not build on");
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(second, second, before(2)));
  }

  @Test
  void whatTheNameNodeKnowsSurvivesItsRestart() throws Exception {
    files.openEpoch(DIRECTORY, first);
    files.epochServes(DIRECTORY, proof(1, OLD));
    files.openEpoch(DIRECTORY, second);
    stop();
    start();
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(first, second, before(1)));
    refused(() -> files.openEpoch(DIRECTORY, first), "does not open again");
    files.epochServes(DIRECTORY, proof(2, NEW));
  }

  private static void noAccess(Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IOException.class)
        .hasStackTraceContaining("AccessControlException");
  }

  private static XAttr attribute(XAttr.NameSpace space, String name, byte[] value) {
    return new XAttr.Builder().setNameSpace(space).setName(name).setValue(value).build();
  }

  @Test
  void nobodyChangesOrRemovesWhatTheNameNodeKnowsByOtherMeans() throws Exception {
    files.openEpoch(DIRECTORY, first);
    byte[] mine = EpochRegister.NONE.encode();
    XAttr kept = attribute(XAttr.NameSpace.USER, VolumeFiles.EPOCHS, mine);
    long id = nameNode.getFileInfo(DIRECTORY).getFileId();
    List<String> names =
        List.of(
            DIRECTORY, DIRECTORY + "/", "/.reserved/.inodes/" + id, "/.reserved/raw" + DIRECTORY);
    byte[] open = certified(LogRecord.Type.OPEN, 1, OLD, new byte[0]);
    for (String name : names) {
      for (XAttrSetFlag flag : XAttrSetFlag.values()) {
        noAccess(() -> nameNode.setXAttr(name, kept, EnumSet.of(flag)));
      }
      noAccess(() -> nameNode.removeXAttr(name, kept));
      noAccess(
          () ->
              Certified.call(
                  open,
                  () -> {
                    nameNode.removeXAttr(name, kept);
                    return null;
                  }));
    }
    for (XAttr.NameSpace space : XAttr.NameSpace.values()) {
      noAccess(
          () ->
              nameNode.setXAttr(
                  DIRECTORY, attribute(space, "x", mine), EnumSet.of(XAttrSetFlag.CREATE)));
    }
    noAccess(() -> nameNode.delete(DIRECTORY, true));
    noAccess(() -> nameNode.rename2("/salus", "/mine", Options.Rename.NONE));
    assertThat(files.register(DIRECTORY)).isEqualTo(new EpochRegister(null, first, LogBefore.NONE));
  }

  private static boolean isClosed(HdfsFileStatus root, String owner) {
    return root.getOwner().equals(owner) && root.getPermission().toShort() == 0700;
  }

  /** What somebody else does. */
  private interface Deed {
    void run(VolumeFiles theirs) throws IOException;
  }

  /** Does something as a user who is no superuser. */
  private void as(String user, Deed deed) throws IOException, InterruptedException {
    UserGroupInformation.createRemoteUser(user)
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  try (VolumeFiles theirs = new VolumeFiles(hdfs.conf())) {
                    deed.run(theirs);
                  }
                  return null;
                });
  }

  @Test
  void theDirectoryOfAllVolumesIsClosedToOthers() throws Exception {
    files.openEpoch(DIRECTORY, first);
    String me = UserGroupInformation.getCurrentUser().getShortUserName();
    assertThat(nameNode.getFileInfo("/salus")).matches(root -> isClosed(root, me));
    assertThatThrownBy(() -> as("other", theirs -> theirs.directories("/salus")))
        .hasMessageContaining("Permission denied");
    as("other", theirs -> theirs.requireGivenOut(0));
  }

  @Test
  void aSuperuserPreparesTheDirectoryForWhoRunsTheServers() throws Exception {
    FsPermission open = new FsPermission((short) 0755);
    assertThatThrownBy(() -> as("hbase", theirs -> theirs.nameNode().mkdirs("/salus", open, true)))
        .hasMessageContaining("needs a certificate");
    nameNode.mkdirs("/salus", open, true);
    nameNode.setOwner("/salus", "hbase", null);
    assertThatThrownBy(() -> nameNode.mkdirs("/salus/more", open, true))
        .hasMessageContaining("needs a certificate");
    as("hbase", theirs -> theirs.openEpoch(DIRECTORY, first));
    assertThat(nameNode.getFileInfo("/salus")).matches(root -> isClosed(root, "hbase"));
    assertThat(nameNode.getFileInfo(DIRECTORY).getOwner()).isEqualTo("hbase");
    assertThatThrownBy(() -> nameNode.setPermission("/salus", open))
        .hasMessageContaining("needs a certificate");
    nameNode.setPermission("/salus", new FsPermission((short) 0700));
  }
}
