package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message.LiveFiles;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.session.block.HashedBlocks;

class SessionBlameTest {
  private static final int REGIONS = 3;
  private static final int LEADER = 1;
  private static final int VOTER = 2;
  private static final int LANE = 2;

  private final SessionContext context =
      new SessionContext(
          new VolumeSpec("v", 9, 4096, 256, REGIONS, false, 4 << 20),
          3,
          new Signer(new byte[0]),
          SessionConfig.defaults(),
          new HashedBlocks(),
          SessionRules.PAPER);
  private final SessionBlame blame = new SessionBlame(context);
  private final Batch batch = new Batch(1, 8, false, new byte[32]);
  private BiConsumer<Integer, StatusQuery> sent = (region, query) -> {};
  private long now;

  SessionBlameTest() {
    batch.leader = LEADER;
    for (int r = 0; r < REGIONS; r++) {
      context.epochs[r] = r + 1;
      batch.parts.put(r, new Batch.Part(List.of(), ByteBuffer.allocate(0), 0));
    }
  }

  /** Lets time pass until this many complaints have been made. */
  private List<Stalled> complaints(int count, Runnable meanwhile) {
    List<Stalled> made = new ArrayList<>();
    for (int i = 0; i < 10 * count * SessionBlame.PATIENCE && made.size() < count; i++) {
      meanwhile.run();
      now += context.config.resendAfterNanos();
      blame.onTick(batch, batch.last, 1, 0, now);
      context
          .take()
          .forEach(
              e -> {
                if (e instanceof Stalled s) {
                  made.add(s);
                } else if (e instanceof Send s
                    && s.to() instanceof Endpoint.Member m
                    && s.message() instanceof StatusQuery q) {
                  sent.accept(m.region().index(), q);
                }
              });
    }
    assertThat(made).hasSize(count);
    return made;
  }

  @Test
  void whoseNoEndsTheViewsIsComplainedOfAndNotTheLeaderWhoShowsIt() {
    Vote no = no(VOTER, 1);
    assertThat(complaints(5, () -> blame.aborted(no, now)))
        .allSatisfy(
            s -> {
              assertThat(s.region()).isEqualTo(VOTER);
              assertThat(s.epoch()).isEqualTo(VOTER + 1);
              assertThat(s.lane()).isEqualTo(LANE);
            });
  }

  /** Each view lets a batch through, so that none waits long enough for a complaint. */
  @Test
  void whoSaysNoAgainAndAgainIsComplainedOfAtOnce() {
    for (int i = 1; i < SessionBlame.NOES; i++) {
      blame.aborted(no(VOTER, i), now);
      blame.aborted(no(LEADER, i), now);
    }
    assertThat(context.take()).isEmpty();
    blame.aborted(no(VOTER, SessionBlame.NOES), now);
    assertThat(context.take())
        .singleElement()
        .isInstanceOfSatisfying(
            Stalled.class,
            s -> {
              assertThat(s.region()).isEqualTo(VOTER);
              assertThat(s.epoch()).isEqualTo(VOTER + 1);
              assertThat(s.lane()).isEqualTo(LANE);
            });
    context.epochs[LEADER]++;
    blame.aborted(no(LEADER, SessionBlame.NOES), now);
    assertThat(context.take()).as("a member of the next epoch").isEmpty();
  }

  /** Bytes change on the way now and then, and nobody is to blame. */
  @Test
  void noesThatAreFarApartAreNoReasonToComplain() {
    for (int i = 0; i < 10 * SessionBlame.NOES; i++) {
      blame.aborted(no(VOTER, i), now);
      now += 25 * context.config.resendAfterNanos();
    }
    assertThat(context.take()).isEmpty();
  }

  @Test
  void noesWithoutEndTakeOneEntryForEachMember() {
    for (int view = 0; view < 10_000; view++) {
      context.epochs[view % REGIONS]++;
      blame.aborted(no(view % REGIONS, view % Lanes.COUNT, view), now);
    }
    assertThat(blame.counted()).isLessThanOrEqualTo(REGIONS * Lanes.COUNT);
  }

  private static Vote no(int region, int view) {
    return no(region, LANE, view);
  }

  private static Vote no(int region, int lane, int view) {
    return new Vote(
        region, 1, lane, LEADER, 3, view, 1, 8, new byte[32], Refusal.DAMAGED, new byte[0]);
  }

  @Test
  void eachPrimaryIsComplainedOfWhereNoMemberHasTheBatch() {
    List<Stalled> made = complaints(REGIONS, () -> {});
    assertThat(made).extracting(Stalled::region).containsExactly(0, 1, 2);
    assertThat(made).extracting(Stalled::lane).containsOnly(0);
  }

  /**
   * All members have the batch, and most of their answers are lost: the leader holds the batch
   * back.
   */
  @Test
  void oneAnswerOfSeveralIsEnough() {
    Set<Integer> answered = new TreeSet<>();
    sent =
        (region, query) -> {
          if (answered.add(region)) {
            blame.onStatus(
                region,
                new StatusReply(
                    query.id(),
                    region + 1,
                    2,
                    true,
                    0,
                    new LiveFiles(List.of(), List.of(), 0, null),
                    1,
                    batch.last,
                    0,
                    null,
                    null,
                    false));
          }
        };
    assertThat(complaints(1, () -> {})).extracting(Stalled::region).containsExactly(LEADER);
    assertThat(answered).hasSize(REGIONS);
  }
}
