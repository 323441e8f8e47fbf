package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.wire.MalformedException;

class PermissionTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  private static final SegmentEnd SEGMENT = new SegmentEnd(4, 1000);
  private static final Checkpoint CHECKPOINT = new Checkpoint(3, 0, 1, 3, 500, 1, new byte[32]);

  private final Signer signer = new Signer(new byte[] {1});

  private Permission certified(LogRecord.Type type, byte[] content) throws MalformedException {
    TestEpoch epoch = new TestEpoch(REGION, 5, MEMBERS, signer);
    return Permission.decode(epoch.permission(epoch.record(type, new Position(6, 0), content)));
  }

  private Permission open() throws MalformedException {
    return certified(LogRecord.Type.OPEN, new OpenBody(MEMBERS, List.of(SEGMENT), 6).encode());
  }

  private Permission manifest() throws MalformedException {
    LogState log = new LogState();
    log.apply(new BuiltBody(CHECKPOINT, List.of()));
    return certified(LogRecord.Type.MANIFEST, log.manifest(MEMBERS, List.of(SEGMENT)).encode());
  }

  private boolean allows(Permission p, Deed deed, Kind kind, long number, long length) {
    return p.allows(deed, REGION, kind, number, length, 5, MEMBERS, signer);
  }

  @Test
  void aManifestCompletesWhatItNamesAtTheLengthsThatItNames() throws MalformedException {
    assertThat(allows(manifest(), Deed.COMPLETE, Kind.LOG, 4, 1000)).isTrue();
    assertThat(allows(manifest(), Deed.COMPLETE, Kind.LOG, 4, 1001)).isFalse();
    assertThat(allows(manifest(), Deed.COMPLETE, Kind.LOG, 5, 1000)).isFalse();
    assertThat(allows(manifest(), Deed.COMPLETE, Kind.CHECKPOINT, 3, 500)).isTrue();
    assertThat(allows(manifest(), Deed.COMPLETE, Kind.CHECKPOINT, 3, 499)).isFalse();
  }

  @Test
  void anOpenRecordDoesNotCompleteWhatNobodyHasReplayedYet() throws MalformedException {
    assertThat(allows(open(), Deed.RECOVER, Kind.LOG, 4, 0)).isTrue();
    assertThat(allows(open(), Deed.COMPLETE, Kind.LOG, 4, 1000)).isFalse();
    assertThat(allows(open(), Deed.CREATE, Kind.LOG, 6, 0)).isTrue();
    for (long segment = 1; segment < 7; segment++) {
      assertThat(allows(open(), Deed.DELETE, Kind.LOG, segment, 0)).as("may not serve").isFalse();
      assertThat(allows(open(), Deed.LEAVE_BEHIND, Kind.LOG, segment, 0)).isFalse();
    }
    assertThat(allows(manifest(), Deed.LEAVE_BEHIND, Kind.LOG, 4, 0)).isTrue();
    assertThat(allows(manifest(), Deed.LEAVE_BEHIND, Kind.LOG, 5, 0)).isFalse();
  }

  private Permission roll() throws MalformedException {
    return certified(LogRecord.Type.ROLL, new RollBody(7).encode());
  }

  @Test
  void thePermissionToCreateAFileCannotDestroyIt() throws MalformedException {
    LogRules rules = LogRules.PAPER;
    for (Permission p : List.of(open(), roll())) {
      long number = p.record().type() == LogRecord.Type.OPEN ? 6 : 7;
      assertThat(allows(p, Deed.CREATE, Kind.LOG, number, 0)).isTrue();
      assertThat(allows(p, Deed.ADD_BLOCK, Kind.LOG, number, 0)).isTrue();
      assertThat(allows(p, Deed.CLEAR, Kind.LOG, number, 0)).isTrue();
      assertThat(allows(p, Deed.DELETE, Kind.LOG, number, 0)).isFalse();
      assertThat(allows(p, Deed.COMPLETE, Kind.LOG, number, 0)).isFalse();
    }
    for (FileState before : FileState.values()) {
      assertThat(rules.mayChange(Deed.ABANDON, before, true)).isFalse();
      assertThat(rules.mayChange(Deed.CREATE, before, true)).isEqualTo(before == FileState.ABSENT);
      assertThat(rules.mayChange(Deed.ADD_BLOCK, before, true))
          .isEqualTo(before == FileState.EMPTY);
      assertThat(rules.mayChange(Deed.CLEAR, before, true))
          .isEqualTo(before == FileState.DIRECTORY);
      for (Deed ends : List.of(Deed.COMPLETE, Deed.DELETE, Deed.REPAIR)) {
        assertThat(rules.mayChange(ends, before, false)).as("the epoch may never serve").isFalse();
      }
    }
  }

  @Test
  void aSegmentIsCreatedBehindAllOthersAndTheOldestDiscardedOneIsDeletedFirst()
      throws MalformedException {
    LogRules rules = LogRules.PAPER;
    assertThat(rules.isInTurn(Deed.CREATE, Kind.LOG, 7, roll(), List.of())).isTrue();
    assertThat(rules.isInTurn(Deed.CREATE, Kind.LOG, 7, roll(), List.of(4L, 6L))).isTrue();
    for (long behind : new long[] {7, 8}) {
      assertThat(rules.isInTurn(Deed.CREATE, Kind.LOG, 7, roll(), List.of(4L, behind))).isFalse();
    }
    assertThat(rules.isInTurn(Deed.ADD_BLOCK, Kind.LOG, 7, roll(), List.of(4L, 7L))).isTrue();
    assertThat(rules.isInTurn(Deed.ADD_BLOCK, Kind.LOG, 7, roll(), List.of(7L, 8L))).isFalse();
    // The manifest of segment 6 keeps segment 4 only.
    assertThat(rules.isInTurn(Deed.DELETE, Kind.LOG, 3, manifest(), List.of(3L, 4L, 6L))).isTrue();
    assertThat(rules.isInTurn(Deed.DELETE, Kind.LOG, 5, manifest(), List.of(4L, 5L, 6L))).isTrue();
    assertThat(rules.isInTurn(Deed.DELETE, Kind.LOG, 5, manifest(), List.of(3L, 4L, 5L))).isFalse();
    assertThat(rules.isInTurn(Deed.DELETE, Kind.CHECKPOINT, 5, manifest(), List.of(3L))).isTrue();
    assertThat(rules.isInTurn(Deed.CREATE, Kind.CHECKPOINT, 1, roll(), List.of(3L))).isTrue();
  }

  @Test
  void onlyAnOpenRecordMakesTheDirectoryOfAVolumesShape() throws MalformedException {
    assertThat(allows(open(), Deed.SHAPE, Kind.LOG, 0, 0)).isTrue();
    assertThat(allows(roll(), Deed.SHAPE, Kind.LOG, 0, 0)).isFalse();
    assertThat(allows(manifest(), Deed.SHAPE, Kind.LOG, 0, 0)).isFalse();
  }

  @Test
  void nothingIsAllowedByAnotherEpochOrOtherMembers() throws MalformedException {
    assertThat(manifest().allows(Deed.COMPLETE, REGION, Kind.LOG, 4, 1000, 6, MEMBERS, signer))
        .isFalse();
    assertThat(
            manifest()
                .allows(
                    Deed.COMPLETE,
                    REGION,
                    Kind.LOG,
                    4,
                    1000,
                    5,
                    List.of("a:1", "b:1", "d:1"),
                    signer))
        .isFalse();
    assertThat(
            manifest()
                .allows(Deed.COMPLETE, new RegionId(7, 3), Kind.LOG, 4, 1000, 5, MEMBERS, signer))
        .isFalse();
  }
}
