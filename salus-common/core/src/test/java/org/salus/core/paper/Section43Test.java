package org.salus.core.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.paper.PaperVolume.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.ResolveRequest;
import org.salus.core.paper.PaperVolume.Sent;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

/** Section 4.3 of the paper: end-to-end verification. */
class Section43Test {
  private final PaperVolume volume = new PaperVolume(2);

  /** The first {@code answers} answers to GETs have wrong data. */
  private void lie(int answers) {
    int[] left = {answers};
    volume.alter(
        s ->
            s.is(GetReply.class) && left[0]-- > 0
                ? new Sent(
                    s.from(), s.to(), s.message(), ByteBuffer.allocate(volume.spec.blockSize()))
                : s);
  }

  private List<Integer> asked() {
    return volume.sent.stream()
        .filter(s -> s.is(GetRequest.class))
        .map(s -> ((Endpoint.Member) s.to()).lane())
        .toList();
  }

  @Test
  void s43_aReadChecksTheTreeLeafAndGoesToTheNextReplica() {
    volume.write(block(0, 3), 7);
    lie(1);
    long read = volume.read(block(0, 3));
    assertThat(volume.value(read)).isEqualTo(7);
    assertThat(asked()).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void s43_aReplicaThatLiedIsReportedToTheMaster() {
    volume.write(block(0, 3), 7);
    lie(1);
    volume.read(block(0, 3));
    assertThat(volume.blamed).containsExactly(new PaperVolume.Blame(0, asked().get(0), true));
  }

  @Test
  void s43_aBlockThatTheTreeDoesNotConfirmIsNeverReturned() {
    volume.write(block(0, 3), 7);
    lie(3);
    long read = volume.read(block(0, 3));
    assertThat(asked()).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(volume.isDone(read)).isFalse();
    assertThat(volume.blamed).as("perhaps nobody has it").isEmpty();
  }

  @Test
  void s43_oneReplicaAloneServesARead() {
    volume.write(block(0, 3), 7);
    volume.read(block(0, 3));
    assertThat(asked()).hasSize(1);
  }

  @Test
  void s43_theVolumeRootTravelsWithEveryPut() throws MalformedException {
    volume.write(block(0, 3), 7);
    volume.write(block(1, 3), 8);
    List<byte[]> roots = new ArrayList<>();
    for (PutRequest p : volume.sent(PutRequest.class)) {
      roots.add(SubBatch.decode(p.content()).volumeRoot());
    }
    volume.mount();
    List<byte[]> regions = new ArrayList<>();
    for (int region = 0; region < 2; region++) {
      int of = region;
      regions.add(
          volume.sent.stream()
              .filter(s -> s.is(ResolveReply.class) && s.isFrom(of, 0))
              .map(s -> ((ResolveReply) s.message()).regionRoot())
              .reduce((first, last) -> last)
              .orElseThrow());
    }
    assertThat(roots.get(0)).isNotEqualTo(roots.get(1));
    assertThat(roots.get(1)).isEqualTo(new Hashes().volume(regions));
  }

  /** Members of region 1 tell another root of their region. */
  private void lieAtMount(IntPredicate places) {
    volume.alter(
        s -> {
          for (int place = 0; place < 3; place++) {
            if (s.message() instanceof ResolveReply r && s.isFrom(1, place) && places.test(place)) {
              return new Sent(
                  s.from(),
                  s.to(),
                  new ResolveReply(r.epoch(), r.lane(), r.mountEpoch(), r.prefix(), new byte[32]),
                  null);
            }
          }
          return s;
        });
  }

  @Test
  void s43_mount_theRootsOfTheRegionsMustGiveTheVolumeRoot() {
    volume.write(block(1, 3), 7);
    lieAtMount(place -> true);
    volume.mount();
    assertThat(volume.session.mounted()).isFalse();
    assertThat(volume.ended).isTrue();
  }

  @Test
  void s43_mount_theMembersOfARegionMustGiveOneRootAndTheVolumeRootSaysWhoIsRight() {
    volume.write(block(1, 3), 7);
    lieAtMount(place -> place != 1);
    volume.mount();
    assertThat(volume.session.mounted()).isTrue();
    assertThat(volume.blamed)
        .containsExactly(new PaperVolume.Blame(1, 0, true), new PaperVolume.Blame(1, 2, true));
    assertThat(volume.value(volume.read(block(1, 3)))).isEqualTo(7);
  }

  @Test
  void s43_mount_nothingIsDecidedWhileMembersOfARegionTellDifferentLogs() {
    volume.write(block(1, 3), 7);
    int before = volume.sent(ResolveRequest.class).size();
    volume.alter(
        s ->
            s.message() instanceof MountReply m && s.isFrom(1, 1)
                ? new Sent(
                    s.from(),
                    s.to(),
                    new MountReply(
                        m.epoch(),
                        m.lane(),
                        m.mountEpoch(),
                        new LogSummary(Durable.NOTHING, 0, List.of())),
                    null)
                : s);
    volume.mount();
    assertThat(volume.session.mounted()).isFalse();
    assertThat(volume.session.dispute()).contains("region 1");
    assertThat(volume.sent(ResolveRequest.class)).hasSize(before);
  }
}
