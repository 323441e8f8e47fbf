package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.message.Message.LiveFiles;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

class HealthTest {
  private static final byte[] ROOT = root(1);

  private static byte[] root(int first) {
    byte[] root = new byte[32];
    root[0] = (byte) first;
    return root;
  }

  private static RrsRecord rrs(String... nodes) {
    List<Member> members = Arrays.stream(nodes).map(n -> new Member(n, 1, n)).toList();
    return new RrsRecord(
        EpochLink.first(new RegionId(1, 0), 4, members, members, new Signer(new byte[0])),
        State.SERVING,
        "note");
  }

  private static Checkpoint checkpoint(long id, int crc) {
    return new Checkpoint(id, 0, id, id, 100, crc, ROOT);
  }

  private static StatusReply reply(
      int epoch,
      boolean serving,
      List<Checkpoint> checkpoints,
      byte[] checkpointRoot,
      long settled,
      byte[] root) {
    return new StatusReply(
        0,
        epoch,
        0,
        serving,
        9,
        new LiveFiles(List.of(), checkpoints, 0, checkpointRoot),
        0,
        settled,
        settled,
        root,
        new byte[0],
        false);
  }

  private static StatusReply good() {
    return reply(4, true, List.of(checkpoint(1, 7)), ROOT, 8, ROOT);
  }

  private static Health of(StatusReply third) {
    return Health.of(rrs("a", "b", "c"), Arrays.asList(good(), good(), third));
  }

  @Test
  void threeMembersThatServeTheSameEpochWithTheSameCheckpointsAndRootsAreHealthy() {
    assertThat(of(good()).state()).isEqualTo(Health.State.HEALTHY);
    assertThat(of(reply(4, true, List.of(checkpoint(1, 7)), ROOT, 9, root(2))).state())
        .as("roots of other moments")
        .isEqualTo(Health.State.HEALTHY);
    assertThat(of(reply(4, true, List.of(checkpoint(1, 7)), ROOT, 8, new byte[0])).state())
        .as("a root not known yet")
        .isEqualTo(Health.State.HEALTHY);
    assertThat(Health.rootsCompared(List.of(good(), good()))).isTrue();
    assertThat(Health.rootsCompared(List.of(good(), reply(4, true, List.of(), ROOT, 9, ROOT))))
        .isFalse();
    assertThat(
            Health.rootsCompared(List.of(good(), reply(4, true, List.of(), ROOT, 8, new byte[0]))))
        .isFalse();
  }

  private static void degraded(Health h, String why, boolean passing) {
    assertThat(h.state()).isEqualTo(Health.State.DEGRADED);
    assertThat(h.why()).contains(why);
    assertThat(h.passing()).isEqualTo(passing);
  }

  @Test
  void oneMemberThatDiffersInAnyWayDegradesTheRegion() {
    degraded(of(null), "c does not answer", false);
    degraded(
        of(reply(3, true, List.of(checkpoint(1, 7)), ROOT, 8, ROOT)),
        "does not serve epoch 4",
        true);
    degraded(
        of(reply(4, false, List.of(checkpoint(1, 7)), ROOT, 8, ROOT)),
        "does not serve epoch 4",
        true);
    degraded(
        of(reply(4, true, List.of(checkpoint(1, 8)), ROOT, 8, ROOT)),
        "different checkpoints: number 1",
        false);
    degraded(
        of(reply(4, true, List.of(checkpoint(1, 7), checkpoint(2, 7)), ROOT, 8, ROOT)),
        "checkpoints [1] and [1, 2]",
        true);
    degraded(
        of(reply(4, true, List.of(checkpoint(1, 7)), root(2), 8, ROOT)),
        "as of the same checkpoints",
        true);
    degraded(
        of(reply(4, true, List.of(checkpoint(1, 7)), ROOT, 8, root(2))),
        "different roots at 8",
        false);
  }

  @Test
  void fewerThanThreeMembersSayWhatIsPromisedWhateverElseIsWrong() {
    String two = "2 of 3 members: what is acknowledged now survives one faulty server, not two";
    degraded(Health.of(rrs("a", "b"), List.of(good(), good())), two, false);
    Health silent = Health.of(rrs("a", "b"), Arrays.asList(good(), null));
    degraded(silent, "b does not answer; " + two, false);
    StatusReply late = reply(3, true, List.of(checkpoint(1, 7)), ROOT, 8, ROOT);
    degraded(Health.of(rrs("a", "b"), List.of(good(), late)), two, true);
    degraded(Health.of(rrs("a"), List.of(good())), "survives no faulty server", false);
    Health full = Health.of(rrs("a", "b").full("no room"), List.of(good(), good()));
    assertThat(full.state()).isEqualTo(Health.State.UNAVAILABLE);
    assertThat(full.why()).contains("is FULL: no room; " + two);
    assertThat(
            Health.of(rrs("a", "b").broken(Cause.GONE, "", "b is gone"), List.of(good(), good()))
                .why())
        .as("nothing is acknowledged now")
        .doesNotContain("acknowledged");
  }

  @Test
  void aRegionThatDoesNotServeIsUnavailable() {
    assertThat(Health.of(null, List.of()).state()).isEqualTo(Health.State.UNAVAILABLE);
    Health broken =
        Health.of(
            rrs("a", "b", "c").broken(Cause.GONE, "", "a is gone"),
            List.of(good(), good(), good()));
    assertThat(broken.state()).isEqualTo(Health.State.UNAVAILABLE);
    assertThat(broken.why()).contains("a is gone");
    assertThat(Health.of(rrs("a", "b", "c"), Arrays.asList(null, null, null)).state())
        .isEqualTo(Health.State.UNAVAILABLE);
  }

  @Test
  void aTroubleOfAllVolumesComesFirst() {
    Optional<Reason> safeMode = Optional.of(Reason.SAFE_MODE);
    degraded(Health.worst(List.of(of(good()))).with(safeMode), Reason.SAFE_MODE.words(), false);
    assertThat(Health.worst(List.of(of(null))).with(safeMode).why())
        .isEqualTo(Reason.SAFE_MODE.words() + "; region 0: c does not answer");
    assertThat(of(good()).with(Optional.empty())).isEqualTo(of(good()));
  }

  @Test
  void aVolumeIsAsItsWorstRegion() {
    Health worst = Health.worst(List.of(of(good()), of(null), Health.of(null, List.of())));
    assertThat(worst.state()).isEqualTo(Health.State.UNAVAILABLE);
    assertThat(worst.why())
        .isEqualTo("region 1: c does not answer; region 2: no members chosen yet");
    assertThat(Health.worst(List.of(of(good()))).why()).isEmpty();
  }

  @Test
  void aVolumeWithLossesIsDegradedAndSaysWhatIsLostSinceWhenAndTheWayOut() {
    VolumeInfo.Loss loss = new VolumeInfo.Loss(Instant.EPOCH, "bob@host2", 7, 40, 42, false);
    Health h = Health.worst(List.of(of(good()))).withLosses("disk", List.of(loss));
    assertThat(h.state()).isEqualTo(Health.State.DEGRADED);
    assertThat(h.why())
        .isEqualTo(
            "2 changes that were acknowledged and not flushed are lost, as in a power cut of all"
                + " servers: the mount of bob@host2 found at 1970-01-01T00:00:00Z that the volume"
                + " is as it was after PUT 40 of 42; check what is on it, then run 'salus volume"
                + " accept-losses disk mount7:40-42'");
    VolumeInfo.Loss open = new VolumeInfo.Loss(Instant.EPOCH, "bob@host2", 7, 40, 42, true);
    assertThat(Health.worst(List.of(of(good()))).withLosses("disk", List.of(open)).why())
        .isEqualTo(
            "up to 2 changes that were acknowledged and not flushed are lost, as in a power cut of"
                + " all servers: all servers of a region told bob@host2 at 1970-01-01T00:00:00Z,"
                + " who had the volume open, that changes after PUT 40 of 42 are gone; check what"
                + " is on it, then run 'salus volume accept-losses disk open7:40-42'");
    Health none = Health.worst(List.of(Health.of(null, List.of())));
    assertThat(none.withLosses("disk", List.of(loss)).state()).isEqualTo(Health.State.UNAVAILABLE);
    assertThat(none.withLosses("disk", List.of())).isEqualTo(none);
  }
}
