package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.Durable;
import org.salus.core.log.MountBody;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.ConfirmQuery;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Vote;

/** What a peer can make a member hold is bounded, and takes nothing from others. */
class MemberBoundsTest {
  private static final byte[] NOTHING = {};
  private static final byte[] ROOT = new byte[32];
  private static final int EPOCH = 7;
  private static final int FLOOD = 3 * MemberConfig.MOST_UNKNOWN;

  private final Signer signer = new Signer(new byte[0]);
  private final VolumeSpec spec = new VolumeSpec("disk", 1, 4096, 256, 4, false, 64 << 20);
  private final Seat seat = new Seat(spec.regionId(0), EPOCH, List.of("a", "b", "c"), 1);
  private final LaneLeader leader = new LaneLeader(seat, 1, signer, MemberRules.PAPER);
  private final Outbox out = new Outbox();

  MemberBoundsTest() {
    leader.reset(3);
  }

  // ---- reads ----

  private static Reads.Waiting read(long id) {
    return new Reads.Waiting(
        new Endpoint.Session(1, 3), new GetRequest(id, 7, 3, Long.MAX_VALUE, 0, 0, 1), id, 0);
  }

  @Test
  void onlyTheNewestReadsWait() {
    Reads reads = new Reads();
    for (long id = 1; id <= 3L * MemberConfig.MOST_READS; id++) {
      reads.add(read(id));
    }
    assertThat(reads.size()).isEqualTo(MemberConfig.MOST_READS);
    List<Reads.Waiting> left = reads.takeAll();
    assertThat(left.get(left.size() - 1)).isEqualTo(read(3L * MemberConfig.MOST_READS));
    assertThat(reads.size()).isZero();
  }

  /** Serves reads of mount 3. */
  private static ReadService mounted(OpenMember m) {
    m.c.log.apply(new MountBody(3), NOTHING);
    m.c.log.apply(new ResolveBody(3, 0, new byte[32]));
    return new ReadService(m.c, new PageLoader(m.c));
  }

  @Test
  void readsOfOthersThanTheSessionDoNotWait() {
    OpenMember m = new OpenMember(0);
    ReadService reads = mounted(m);
    GetRequest get = new GetRequest(1, 7, 3, 0, 0, 0, 1);
    reads.request(new Endpoint.Session(1, 4), get);
    reads.request(m.c.member(1), get);
    assertThat(m.effects()).isEmpty();
    reads.request(new Endpoint.Session(1, 3), get);
    assertThat(m.effects()).singleElement().isInstanceOf(MemberEffect.ServeGet.class);
  }

  @Test
  void readsAreNamedWhileTheyWait() {
    OpenMember m = new OpenMember(0);
    ReadService reads = mounted(m);
    GetRequest early = new GetRequest(1, 7, 3, 5, 4, 0, 1);
    reads.request(new Endpoint.Session(1, 3), early);
    reads.request(new Endpoint.Session(1, 3), new GetRequest(2, 7, 3, 0, 0, 0, 1));
    assertThat(reads.uncommitted()).containsExactly(early);
    assertThat(reads.unloaded()).isEmpty();
    reads.clear();
    assertThat(reads.uncommitted()).isEmpty();
  }

  /** As after a power cut that the session has lived through: zeros would be no answer. */
  @Test
  void readOfWhatTheLogHasLostIsRefused() {
    OpenMember m = new OpenMember(0);
    ReadService reads = mounted(m);
    reads.request(new Endpoint.Session(1, 3), new GetRequest(1, 7, 3, 5, 4, 0, 1));
    assertThat(m.effects()).as("it may still come").isEmpty();
    reads.request(new Endpoint.Session(1, 3), new GetRequest(2, 7, 3, 5, 5, 0, 1));
    assertThat(m.effects())
        .isNotEmpty()
        .allMatch(
            e ->
                e instanceof Send s && s.message() instanceof Refused r && r.why() == Refusal.LOST);
  }

  // ---- a lane leader ----

  private Vote yes(int region, long last) {
    return new Vote(region, EPOCH, 1, 0, 3, 0, last, last, ROOT, null, NOTHING);
  }

  private SubBatch batch(long seq, int... participants) {
    return new SubBatch(
        3,
        0,
        seq,
        seq,
        seq - 1,
        seq - 1,
        Durable.NOTHING,
        new SubBatch.Participants(
            0,
            Arrays.stream(participants).boxed().toList(),
            Arrays.stream(participants).map(region -> EPOCH).boxed().toList()),
        SubBatch.PrevLeader.NONE,
        false,
        ROOT,
        List.of());
  }

  private List<Message> sent() {
    return out.take().stream()
        .filter(e -> e instanceof Send)
        .map(e -> ((Send) e).message())
        .toList();
  }

  @Test
  void votesOnUnknownBatchesFillNoMemoryAndHoldUpTheirRegionAlone() {
    for (long last = 100; last < 100 + FLOOD; last++) {
      leader.vote(yes(2, last), out);
    }
    assertThat(leader.unknownVotes(2)).isEqualTo(MemberConfig.MOST_UNKNOWN);
    leader.vote(yes(1, 1), out);
    leader.begin(batch(1, 0, 1));
    leader.vote(yes(0, 1), out);
    assertThat(sent())
        .as("the batch of regions 0 and 1 commits")
        .anyMatch(m -> m instanceof Commit c && c.seq() == 1);
    leader.begin(batch(2, 0, 2));
    leader.vote(yes(2, 2), out);
    leader.vote(yes(0, 2), out);
    assertThat(sent())
        .as("a vote on a batch that is known always counts")
        .anyMatch(m -> m instanceof Commit c && c.seq() == 2);
  }

  @Test
  void questionsOfOneRegionAreBoundedAndTheNearestStay() {
    WaitingQueries waiting = new WaitingQueries();
    waiting.add(new ConfirmQuery(2, 1, 3, 0, 1));
    for (long seq = 100; seq < 100 + FLOOD; seq++) {
      waiting.add(new ConfirmQuery(2, 1, 3, 0, seq));
    }
    waiting.add(new ConfirmQuery(3, 1, 3, 0, 1));
    assertThat(waiting.of(2)).isEqualTo(MemberConfig.MOST_UNKNOWN);
    assertThat(waiting.take(1, 0)).containsExactly(2, 3);
    assertThat(waiting.take(1, 0)).isEmpty();
  }

  @Test
  void aRegionAsksForItselfAndOnlyRegionsAsk() {
    RegionMember member = new RegionMember(spec, seat, signer, new MemberConfig(1, 4));
    ConfirmQuery asked = new ConfirmQuery(2, 1, 0, 0, 0);
    for (int region : new int[] {1, 2}) {
      List<MemberEffect> effects =
          member.onMessage(new Endpoint.Member(new RegionId(1, region), 1), asked, null, 0);
      assertThat(effects.isEmpty()).as("region %d", region).isEqualTo(region != 2);
    }
    ConfirmQuery beyond = new ConfirmQuery(4, 1, 0, 0, 0);
    assertThat(member.onMessage(new Endpoint.Member(new RegionId(1, 4), 1), beyond, null, 0))
        .isEmpty();
    Vote signed =
        new Vote(4, EPOCH, 1, 0, 0, 0, 9, 9, ROOT, Refusal.DAMAGED, NOTHING).sign(1, signer);
    assertThat(member.onMessage(new Endpoint.Member(new RegionId(1, 4), 1), signed, null, 0))
        .isEmpty();
  }
}
