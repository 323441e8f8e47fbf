package org.salus.core.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.paper.PaperVolume.EPOCH;
import static org.salus.core.paper.PaperVolume.MEMBERS;
import static org.salus.core.paper.PaperVolume.block;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.compaction.BuildBody;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Permission;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.MemberChoice;
import org.salus.core.replacement.Suspicions;
import org.salus.core.wire.MalformedException;

/** Section 4.2 of the paper: active storage. */
class Section42Test {
  private final PaperVolume volume = new PaperVolume(1);

  @Test
  void s421_eachMemberWritesItsOwnReplicaAndTheReplicasAreEqual() {
    volume.write(block(0, 3), 1);
    assertThat(volume.puts(0, 0)).isEqualTo(1);
    assertThat(volume.replica(0, 1)).isEqualTo(volume.replica(0, 0));
    assertThat(volume.replica(0, 2)).isEqualTo(volume.replica(0, 0));
    assertThat(volume.sent)
        .as("the payload travels once along the chain")
        .filteredOn(s -> s.is(Chain.class) && s.payload() != null)
        .hasSize(2);
  }

  @Test
  void s422_nothingIsAppendedWithoutTheConsentOfEveryMember() {
    byte[] before = volume.replica(0, 0);
    volume.hold(s -> s.is(Chain.class) && s.isTo(0, 2));
    long write = volume.write(block(0, 3), 1);
    for (int place = 0; place < 3; place++) {
      assertThat(volume.replica(0, place)).as("member %d", place).isEqualTo(before);
    }
    volume.release();
    assertThat(volume.puts(0, 0)).isEqualTo(1);
    assertThat(volume.isDone(write)).isTrue();
  }

  @Test
  void s422_aReplacementGoesOnFromHoldersAndSparesFillTheOtherPlaces() {
    MemberChoice choice = new MemberChoice(Suspicions.NONE);
    choice.ended(7, 7, List.of("a", "b", "c"), Cause.FAILED, "b");
    assertThat(choice.members(List.of("a", "b", "c"), () -> Stream.of("d", "e"), 3, 1))
        .as("the holders but the failed one come first, and one spare")
        .containsExactly("a", "c", "d");
  }

  @Test
  void s423_aMemberSignsOnlyWhatTheMembersBeforeItHaveSigned() {
    byte[] before = volume.replica(0, 2);
    int certified = volume.sent(Certified.class).size();
    volume.alter(
        s ->
            s.message() instanceof Chain c && s.isTo(0, 2)
                ? new PaperVolume.Sent(
                    s.from(), s.to(), new Chain(c.header(), wrongLast(c.signatures())), s.payload())
                : s);
    volume.write(block(0, 3), 1);
    assertThat(volume.sent(Certified.class)).hasSize(certified);
    assertThat(volume.replica(0, 2)).isEqualTo(before);
  }

  /** The second PUT comes in the place of the first: a right M0 cannot have signed that. */
  @Test
  void s423_aMemberRefusesAPutInTheWrongPlaceAndSaysWhoHasSignedIt() {
    List<LogRecord> puts = new ArrayList<>();
    volume.hold(s -> s.is(Chain.class) && s.isTo(0, 1) && puts.size() == 1);
    volume.alter(
        s -> {
          LogRecord r = s.isTo(0, 1) && s.message() instanceof Chain c ? record(c) : null;
          if (r == null || r.type() != LogRecord.Type.PUT) {
            return s;
          }
          puts.add(r);
          if (puts.size() != 2) {
            return s;
          }
          LogRecord moved =
              new LogRecord(r.request(), puts.get(0).at(), r.payloadLength(), r.origin());
          byte[] signature = volume.signer.sign(MEMBERS.get(0), moved.headerBuffer());
          return new PaperVolume.Sent(
              s.from(), s.to(), new Chain(moved.header(), List.of(signature)), s.payload());
        });
    volume.write(block(0, 3), 1);
    assertThat(volume.complaints).isEmpty();
    volume.write(block(0, 4), 2);
    assertThat(volume.puts(0, 1)).isZero();
    assertThat(volume.complaints)
        .singleElement()
        .satisfies(
            x -> {
              assertThat(x.lane()).as("of M0").isZero();
              assertThat(x.what()).contains("wrong PUT");
            });
  }

  private static LogRecord record(Chain c) {
    try {
      return LogRecord.decode(c.header());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void s423_aCertificateNeedsTheSignaturesOfAllThreeMembers() {
    volume.alter(
        s ->
            s.message() instanceof Certified c && s.isTo(0, 0)
                ? new PaperVolume.Sent(
                    s.from(),
                    s.to(),
                    new Certified(c.epoch(), c.segment(), c.offset(), wrongLast(c.signatures())),
                    null)
                : s);
    long write = volume.write(block(0, 3), 1);
    assertThat(volume.puts(0, 0)).as("with one signature wrong").isZero();
    assertThat(volume.puts(0, 1)).as("with all three").isEqualTo(1);
    assertThat(volume.isDone(write)).isFalse();
  }

  private static List<byte[]> wrongLast(List<byte[]> signatures) {
    List<byte[]> all = new ArrayList<>(signatures);
    all.set(all.size() - 1, new byte[Signer.BYTES]);
    return all;
  }

  @Test
  void s423_aRecordOnDiskCountsOnlyWithItsCertificate() {
    volume.write(block(0, 3), 1);
    byte[] replica = volume.replica(0, 0);
    List<LogRecord> whole = volume.log(0, replica);
    byte[] wrong =
        whole.get(whole.size() - 1).trailer(Collections.nCopies(3, new byte[Signer.BYTES]));
    System.arraycopy(wrong, 0, replica, replica.length - wrong.length, wrong.length);
    assertThat(volume.log(0, replica)).hasSize(whole.size() - 1);
  }

  private boolean allows(Permission p, int epoch, List<String> members) {
    return p.allows(
        Permission.Deed.CREATE,
        volume.spec.regionId(0),
        FilePath.Kind.LOG,
        1,
        0,
        epoch,
        members,
        volume.signer);
  }

  @Test
  void s423_aCertificateOfAnOldEpochDoesNotCount() throws MalformedException {
    Permission open = Permission.decode(volume.permissions.get(0));
    assertThat(allows(open, EPOCH, MEMBERS)).isTrue();
    assertThat(allows(open, EPOCH + 1, MEMBERS)).isFalse();
  }

  @Test
  void s423_noFileChangesWithoutACertificateOfAllMembers() throws MalformedException {
    Permission open = Permission.decode(volume.permissions.get(0));
    assertThat(allows(open, EPOCH, List.of("a:1", "b:1", "d:1"))).isFalse();
    Permission two = new Permission(open.record(), open.signatures().subList(0, 2));
    assertThat(allows(two, EPOCH, MEMBERS)).isFalse();
    Permission forged = new Permission(open.record(), wrongLast(open.signatures()));
    assertThat(allows(forged, EPOCH, MEMBERS)).isFalse();
  }

  @Test
  void s423_aCompactionThatTheRuleDoesNotGiveIsRefused() {
    LogState log = new LogState();
    assertThat(log.check(new BuildBody(1, 0, List.of(1L, 2L, 3L, 4L)), List.of())).isFalse();
  }
}
