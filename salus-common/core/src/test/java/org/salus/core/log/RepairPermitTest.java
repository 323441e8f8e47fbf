package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.wire.MalformedException;

class RepairPermitTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  private static final String DIRECTORY = "/salus/disk-0000000000000007/0002/";
  private static final String SEGMENT = DIRECTORY + "log-00000004";
  private static final String CHECKPOINT = DIRECTORY + "cp-00000003";
  private static final String OWN = "10.0.0.1:9866";
  private static final String OTHER = "10.0.0.2:9866";
  private static final long BLOCK = 99;

  private final Signer signer = new Signer(new byte[] {1});

  private byte[] certified(LogRecord.Type type, byte[] content) {
    TestEpoch epoch = new TestEpoch(REGION, 5, MEMBERS, signer);
    return epoch.permission(epoch.record(type, new Position(6, 0), content));
  }

  private byte[] manifest() {
    LogState log = new LogState();
    log.apply(new BuiltBody(new Checkpoint(3, 0, 1, 3, 500, 1, new byte[32]), List.of()));
    return certified(
        LogRecord.Type.MANIFEST, log.manifest(MEMBERS, List.of(new SegmentEnd(4, 1000))).encode());
  }

  private RepairPermit permit(String path) {
    return RepairPermit.sign(path, manifest(), "a:1", OWN, BLOCK, signer);
  }

  private boolean allows(RepairPermit p, RepairPermit.Call call, String path) {
    return p.allows(call, path, OWN, 5, MEMBERS, signer);
  }

  private static RepairPermit.Call report(String... bad) {
    return new RepairPermit.Call(BLOCK, List.of(bad), 0);
  }

  private static RepairPermit.Call replicas(int n, String... bad) {
    return new RepairPermit.Call(BLOCK, List.of(bad), n);
  }

  @Test
  void aServerMayCallTheReplicaOnItsOwnDataNodeBadAndHaveItMadeAnew() throws MalformedException {
    for (String path : List.of(SEGMENT, CHECKPOINT)) {
      RepairPermit p = RepairPermit.decode(permit(path).encode());
      assertThat(allows(p, report(OWN), path)).isTrue();
      assertThat(allows(p, replicas(2, OWN, OTHER), path)).isTrue();
      assertThat(allows(p, replicas(3), path)).isTrue();
    }
  }

  @Test
  void noOtherReplicaMayBeTouched() {
    RepairPermit p = permit(SEGMENT);
    assertThat(allows(p, report(OTHER), SEGMENT)).isFalse();
    assertThat(allows(p, report(OWN, OTHER), SEGMENT)).isFalse();
    assertThat(allows(p, report(), SEGMENT)).isFalse();
    assertThat(allows(p, new RepairPermit.Call(BLOCK + 1, List.of(OWN), 0), SEGMENT)).isFalse();
    assertThat(p.allows(report(OWN), SEGMENT, OTHER, 5, MEMBERS, signer))
        .as("another server's DataNode")
        .isFalse();
    assertThat(p.allows(report(OWN), SEGMENT, null, 5, MEMBERS, signer))
        .as("an unknown server")
        .isFalse();
  }

  @Test
  void fewerReplicasMayBeAskedForOnlyWhileTheOwnOneIsKnownToBeBadAndNeverLessThanTwo() {
    RepairPermit p = permit(SEGMENT);
    assertThat(allows(p, replicas(2), SEGMENT)).isFalse();
    assertThat(allows(p, replicas(2, OTHER), SEGMENT)).isFalse();
    assertThat(allows(p, replicas(1, OWN), SEGMENT)).isFalse();
    assertThat(allows(p, replicas(4, OWN), SEGMENT)).isFalse();
  }

  @Test
  void onlyFilesThatTheCurrentMembersHaveCertifiedMayBeRepaired() {
    RepairPermit p = permit(SEGMENT);
    assertThat(p.allows(report(OWN), SEGMENT, OWN, 6, MEMBERS, signer))
        .as("a later epoch")
        .isFalse();
    assertThat(p.allows(report(OWN), SEGMENT, OWN, 5, List.of("a:1", "b:1", "d:1"), signer))
        .as("other members")
        .isFalse();
    assertThat(allows(p, report(OWN), CHECKPOINT)).as("signed for another file").isFalse();
    String unnamed = DIRECTORY + "log-00000005";
    assertThat(allows(permit(unnamed), report(OWN), unnamed))
        .as("a file that the manifest does not name")
        .isFalse();
    String elsewhere = SEGMENT.replace("/0002/", "/0003/");
    assertThat(allows(permit(elsewhere), report(OWN), elsewhere)).as("another region's").isFalse();
    byte[] roll = certified(LogRecord.Type.ROLL, new RollBody(4).encode());
    assertThat(
            allows(
                RepairPermit.sign(SEGMENT, roll, "a:1", OWN, BLOCK, signer), report(OWN), SEGMENT))
        .as("no manifest")
        .isFalse();
    RepairPermit forged = new RepairPermit(p.manifest(), "b:1", OWN, BLOCK, p.signature());
    assertThat(allows(forged, report(OWN), SEGMENT)).as("another's signature").isFalse();
    Signer outsider = new Signer(new byte[0]);
    assertThat(
            allows(
                RepairPermit.sign(SEGMENT, manifest(), "a:1", OWN, BLOCK, outsider),
                report(OWN),
                SEGMENT))
        .as("another secret")
        .isFalse();
  }
}
