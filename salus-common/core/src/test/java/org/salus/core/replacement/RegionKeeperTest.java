package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.replacement.ScriptedCluster.LONG_NANOS;
import static org.salus.core.replacement.ScriptedCluster.REGION;
import static org.salus.core.replacement.ScriptedCluster.SIGNER;
import static org.salus.core.replacement.ScriptedCluster.keeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.core.log.LogBefore;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Succession.Waiver;

/** The decisions about one region (§4.2.2, §4.4 phase 1), on a scripted cluster. */
class RegionKeeperTest {
  private final ScriptedCluster cluster = new ScriptedCluster("a", "b", "c", "d");

  @Test
  void theFirstEpochWaitsForThreeServersOfItsPlacement() {
    cluster.placement = List.of("c", "a", "x");
    assertThat(cluster.look(null)).isNull();
    cluster.placement = List.of("c", "a", "c", "b");
    RrsRecord first = cluster.look(null);
    assertThat(first.nodes()).containsExactly("c", "a", "b");
    assertThat(first.epoch()).isEqualTo(1);
    assertThat(first.holders()).containsExactly("c", "a", "b");
    assertThat(first.link().isGenuine(SIGNER)).isTrue();
  }

  @Test
  void anEpochBuildsOnTheOneThatServedLast() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord vain = cluster.next(now);
    assertThat(vain.link().before()).isEqualTo(now.link().signature());
    assertThat(vain.served()).isEqualTo(5);
    cluster.pass(LONG_NANOS);
    RrsRecord next = cluster.next(vain.broken(Cause.FAILED, "", ""));
    assertThat(next.epoch()).isEqualTo(7);
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void nothingIsDoneWhileTheNameNodeIsSilent() {
    RrsRecord now = cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "");
    cluster.register = null;
    assertThat(cluster.look(now)).isNull();
    assertThat(cluster.look(null)).isNull();
  }

  @Test
  void aForgedRecordIsMadeAgainFromTheChain() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.follow(now);
    EpochLink alone =
        new EpochLink(
            REGION,
            6,
            List.of(cluster.running.get("a")),
            now.members(),
            5,
            now.link().signature(),
            Waiver.TIME_IS_OVER,
            now.link().signature());
    RrsRecord next = cluster.look(new RrsRecord(alone, State.OPENING, ""));
    assertThat(next.nodes()).containsExactly("a", "b", "c");
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.note()).contains("not of its chain");
  }

  @Test
  void anOldRecordIsMadeAgainFromTheChain() {
    RrsRecord old = cluster.serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord now = cluster.next(old).serving();
    cluster.follow(now);
    RrsRecord next = cluster.look(old);
    assertThat(next.nodes()).containsExactly("a", "c");
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.holders()).containsExactly("a", "c");
  }

  @Test
  void anEpochHasServedOnceTheNameNodeKnowsItThoughNobodyHasSaidSo() {
    RrsRecord old = cluster.serving("a", "b", "c");
    List.of("b", "c").forEach(cluster.running::remove);
    RrsRecord opening = cluster.next(old);
    assertThat(opening.nodes()).containsExactly("a", "d");
    cluster.register = new EpochRegister(opening.link(), opening.link(), LogBefore.NONE);
    for (String node : List.of("b", "c")) {
      cluster.running.put(node, new Member(node, 2, node + ":dn"));
    }
    cluster.running.remove("a");
    cluster.pass(LONG_NANOS);
    RrsRecord next = cluster.look(opening);
    assertThat(next.nodes()).as("it has a holder of the epoch that served").contains("d");
    assertThat(next.holders()).containsExactly("a", "d");
  }

  @Test
  void anEpochThatTheNameNodeRefusesIsFollowedByANewerOne() {
    RrsRecord served = cluster.serving("a", "b", "c");
    cluster.follow(served);
    EpochLink six = served.link().next(6, served.members(), SIGNER);
    cluster.register = new EpochRegister(six, six, LogBefore.NONE);
    EpochLink refused = served.link().next(9, served.members(), SIGNER);
    RrsRecord next =
        cluster.look(new RrsRecord(refused, State.OPENING, "").broken(Cause.FAILED, "", "refused"));
    assertThat(next.epoch()).isEqualTo(10);
    assertThat(next.link().before()).isEqualTo(six.signature());
  }

  @Test
  void aLostRecordIsMadeAgainFromTheChain() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.follow(now);
    RrsRecord next = cluster.look(null);
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void theNameNodeKnowsWhetherAnEpochHasServed() {
    RrsRecord now = cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "");
    RrsRecord opening = cluster.next(now);
    cluster.follow(opening);
    assertThat(cluster.look(opening.serving())).as("somebody says that it serves").isNull();
    cluster.pass(KeeperTimes.USUAL.opening());
    assertThat(cluster.look(opening.serving()).cause())
        .as("it is overdue")
        .isEqualTo(Cause.STALLED);
    RrsRecord next = cluster.look(opening.serving().broken(Cause.FAILED, "", ""));
    assertThat(next.link().before()).isEqualTo(now.link().signature());
  }

  @Test
  void aRegionThatServesWithThreeIsLeftAlone() {
    assertThat(cluster.next(cluster.serving("a", "b", "c"))).isNull();
  }

  @Test
  void theHoldersThatRunGoOnAndStayTheHolders() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord next = cluster.next(now);
    assertThat(next.nodes()).containsExactly("a", "c");
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.state()).isEqualTo(State.OPENING);
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void aProcessThatHasStartedAgainIsAnother() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.put("a", new Member("a", 2, "a:dn"));
    RrsRecord next = cluster.next(now);
    assertThat(next.members().get(0).startCode()).isEqualTo(2);
    assertThat(next.note()).isEqualTo("a has started again");
  }

  @Test
  void holdersThatMayStillStartAreAwaited() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("b");
    cluster.awaited.add("b");
    assertThat(cluster.next(now)).isNull();
    cluster.awaited.clear();
    assertThat(cluster.next(now).nodes()).containsExactly("a", "c");
  }

  @Test
  void aHolderWithoutADataNodeIsNoMemberAndNoSpareEither() {
    RrsRecord now =
        cluster.serving("a", "b", "c").broken(Cause.FAILED, "a", "a: its replica failed");
    cluster.withoutDataNode.addAll(Set.of("a", "b"));
    assertThat(cluster.next(now).nodes()).containsExactly("c", "d");
  }

  @Test
  void withoutAHolderTheRegionWaitsAndSaysForWhatOnce() {
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("a", "b", "c").forEach(cluster.running::remove);
    RrsRecord waits = cluster.next(now);
    assertThat(waits.epoch()).isEqualTo(5);
    assertThat(waits.state()).isEqualTo(State.BROKEN);
    assertThat(waits.note()).contains("it waits: none of [a, b, c] runs");
    assertThat(cluster.next(waits)).isNull();
    cluster.running.put("b", new Member("b", 2, "b:dn"));
    assertThat(cluster.next(waits).nodes()).containsExactly("b", "d");
    assertThat(cluster.next(waits).note()).doesNotContain("it waits");
  }

  @Test
  void withoutAHolderForAWhileOthersBuildTheRegionFromItsDataNodes() {
    for (String n : List.of("e", "f", "g")) {
      cluster.running.put(n, new Member(n, 1, n + ":dn"));
    }
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.add("b");
    RrsRecord waits = cluster.next(now);
    assertThat(waits.note())
        .contains("none of [a, b, c] runs", "after 15 s other servers build it", "if 2 can");
    cluster.pass(KeeperTimes.USUAL.rebuild() - 1);
    assertThat(cluster.next(waits)).isNull();
    cluster.pass(1);
    RrsRecord next = cluster.next(waits);
    assertThat(next.nodes()).hasSize(3).doesNotContain("a", "b", "c");
    assertThat(next.link().rebuilds()).isTrue();
    assertThat(next.holders()).containsExactly("a", "b", "c");
    assertThat(next.link().holders().get(0).dataNode()).isEqualTo("a:dn");
  }

  @Test
  void aHolderThatComesBackIsTakenBeforeOthersBuildTheRegion() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.put("e", new Member("e", 1, "e:dn"));
    List.of("a", "b", "c").forEach(cluster.running::remove);
    RrsRecord waits = cluster.next(now);
    cluster.pass(KeeperTimes.USUAL.rebuild() - 1);
    cluster.running.put("b", new Member("b", 2, "b:dn"));
    RrsRecord back = cluster.next(waits);
    assertThat(back.nodes()).startsWith("b");
    cluster.running.remove("b");
    cluster.pass(KeeperTimes.USUAL.rebuild() - 1);
    RrsRecord again = cluster.next(back);
    assertThat(again.note()).as("the wait begins anew").contains("none of [a, b, c] runs");
    cluster.pass(KeeperTimes.USUAL.rebuild() - 1);
    assertThat(cluster.next(again)).isNull();
  }

  @Test
  void nobodyBuildsARegionOfWhichNoDataNodeIsLeft() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.put("e", new Member("e", 1, "e:dn"));
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.addAll(List.of("a", "b", "c"));
    RrsRecord waits = cluster.next(now);
    assertThat(waits.note()).endsWith("which have its data: start one of them");
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(waits)).isNull();
  }

  @Test
  void aRegionThatHasNeverServedBeginsOnOtherServers() {
    cluster.placement = List.of("a", "b", "c");
    RrsRecord first = cluster.look(null);
    cluster.follow(first);
    for (String n : List.of("e", "f")) {
      cluster.running.put(n, new Member(n, 1, n + ":dn"));
    }
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.addAll(List.of("a", "b", "c"));
    RrsRecord waits = cluster.next(first);
    cluster.pass(KeeperTimes.USUAL.rebuild());
    RrsRecord next = cluster.next(waits);
    assertThat(next.nodes()).hasSize(3).doesNotContain("a", "b", "c");
    assertThat(next.holders()).isEqualTo(next.nodes());
    assertThat(next.link().rebuilds()).as("there is nothing to read").isFalse();
  }

  @Test
  void tooFewServersWaitForMore() {
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("b", "c", "d").forEach(cluster.running::remove);
    assertThat(cluster.next(now).note()).contains("only [a] can be members", "asks for 2");
    cluster.keeper = keeper(1);
    RrsRecord waits = cluster.next(now);
    assertThat(waits.note())
        .contains("only [a] can be a member", "after 15 s without a user it goes on alone");
    cluster.pass(KeeperTimes.USUAL.proof());
    RrsRecord next = cluster.next(waits);
    assertThat(next.nodes()).containsExactly("a");
    assertThat(next.link().waiver()).as("the others had theirs").isEqualTo(Waiver.TIME_IS_OVER);
  }

  @Test
  void aStrictVolumeWaitsForThreeServersAndSaysSo() {
    cluster.keeper = keeper(1, true);
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("c", "d").forEach(cluster.running::remove);
    RrsRecord waits = cluster.next(now);
    assertThat(waits.note())
        .isEqualTo(
            "c is gone; it waits: only [a, b] can be members, and the strict volume asks for 3:"
                + " start more servers and their DataNodes");
    assertThat(cluster.next(waits)).isNull();
    cluster.running.put("c", new Member("c", 2, "c:dn"));
    assertThat(cluster.next(waits).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void noEpochOfAStrictVolumeHasFewerThanThreeMembers() {
    Map<String, Member> all = Map.copyOf(cluster.running);
    int opened = 0;
    for (Cause cause : Cause.values()) {
      for (String suspect : List.of("", "a", "c")) {
        for (int running = 1; running < 16; running++) {
          cluster.running.putAll(all);
          RrsRecord now = cluster.serving("a", "b", "c").broken(cause, suspect, "why");
          cluster.keeper = keeper(1, true);
          cluster.pass(LONG_NANOS);
          cluster.running.clear();
          for (String n : all.keySet()) {
            if ((running & 1 << n.charAt(0) - 'a') != 0) {
              cluster.running.put(n, all.get(n));
            }
          }
          RrsRecord next = cluster.next(now);
          if (next != null && next.state() == State.OPENING) {
            assertThat(next.nodes()).as("%s, of %s", cause, cluster.running).hasSize(3);
            opened++;
          }
        }
      }
    }
    assertThat(opened).isGreaterThan(100);
  }

  @Test
  void epochsThatDoNotServeComeEverMoreSlowly() {
    RrsRecord now = cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "");
    long pause = KeeperTimes.USUAL.pause();
    for (int inVain = 0; inVain <= 6; inVain++) {
      cluster.keeper.opened(now.epoch(), cluster.nanos);
      int doublings = Math.min(Math.max(0, inVain - 1), KeeperTimes.MOST_DOUBLINGS);
      cluster.pass((pause << doublings) - 1);
      assertThat(cluster.next(now)).isNull();
      cluster.pass(1);
      now = cluster.next(now).broken(Cause.FAILED, "", "");
    }
  }

  @Test
  void anEpochThatDoesNotOpenEndsForAnotherMemberEachTime() {
    RrsRecord now = cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "");
    List<String> blamed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      cluster.pass(LONG_NANOS);
      now = cluster.next(now);
      assertThat(now.state()).isEqualTo(State.OPENING);
      cluster.keeper.opened(now.epoch(), cluster.nanos);
      long opening = KeeperTimes.USUAL.opening() << i;
      cluster.pass(opening - 1);
      assertThat(cluster.next(now)).isNull();
      cluster.pass(1);
      now = cluster.next(now);
      assertThat(now.state()).isEqualTo(State.BROKEN);
      assertThat(now.cause()).isEqualTo(Cause.STALLED);
      blamed.add(now.suspect());
    }
    assertThat(blamed).doesNotHaveDuplicates().doesNotContain("");
  }

  @Test
  void whoBrokeAnEpochIsNotAskedForAWhile() {
    cluster.pass(LONG_NANOS);
    RrsRecord without =
        cluster.next(cluster.serving("a", "b", "c").broken(Cause.FAILED, "c", "c: stopped"));
    assertThat(without.nodes()).containsExactly("a", "b");
    cluster.running.remove("d");
    cluster.keeper.opened(without.epoch(), cluster.nanos);
    cluster.pass(Troubled.NANOS - 1);
    assertThat(cluster.next(without.serving())).isNull();
    cluster.keeper = keeper(2); // another master knows it from the record
    assertThat(cluster.next(without.serving())).isNull();
    cluster.pass(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(cluster.next(without.serving()).joining().member().node()).isEqualTo("c");
  }

  /** Each look must not begin its time anew. */
  @Test
  void whoBrokeAnEpochIsAskedAgainThoughTheRegionWaitsForServers() {
    List.of("b", "c").forEach(cluster.running::remove);
    RrsRecord now = cluster.next(cluster.serving("a").broken(Cause.FAILED, "", ""));
    assertThat(now.nodes()).containsExactly("a", "d");
    now = now.broken(Cause.FAILED, "d", "d: stopped");
    for (int looks = 0; looks < 29; looks++) {
      RrsRecord waits = cluster.next(now);
      assertThat(waits == null || waits.state() == State.BROKEN).isTrue();
      now = waits == null ? now : waits;
      cluster.pass(TimeUnit.SECONDS.toNanos(1));
    }
    cluster.pass(TimeUnit.SECONDS.toNanos(1));
    assertThat(cluster.next(now).nodes()).containsExactly("a", "d");
  }

  @Test
  void anEpochThatAnotherMasterOpenedGetsItsWholeTime() {
    RrsRecord now = cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "");
    cluster.keeper.opened(now.epoch(), cluster.nanos);
    cluster.pass(LONG_NANOS);
    RrsRecord opening = cluster.next(now); // the cluster.keeper does not hear that this was done
    assertThat(cluster.next(opening)).isNull();
    cluster.pass(KeeperTimes.USUAL.opening() - 1);
    assertThat(cluster.next(opening)).isNull();
    cluster.pass(1);
    assertThat(cluster.next(opening).cause()).isEqualTo(Cause.STALLED);
  }

  @Test
  void aNewRegionGoesWhereHdfsPlacesReplicas() {
    cluster.placement = List.of("a", "b", "c");
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    assertThat(cluster.look(null).nodes()).containsExactly("a", "c", "d");
    cluster.states.put("a", DataNodeState.FULL);
    assertThat(cluster.look(null).nodes())
        .as("a full DataNode for want of others")
        .containsExactly("c", "d", "a");
    cluster.states.put("a", DataNodeState.IN_MAINTENANCE);
    assertThat(cluster.look(null)).isNull();
  }

  @Test
  void noEpochEndsNorOpensWhileHdfsIsInSafeMode() {
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(cluster.serving("a", "b"))).as("nobody joins").isNull();
    RrsRecord broken = cluster.serving("a", "b", "c").broken(Cause.STALLED, "a", "a: stalled");
    assertThat(cluster.next(broken)).isNull();
    cluster.trouble = Optional.empty();
    RrsRecord opening = cluster.next(broken);
    cluster.keeper.opened(opening.epoch(), cluster.nanos);
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(opening)).as("nobody is blamed").isNull();
    cluster.trouble = Optional.empty();
    cluster.pass(KeeperTimes.USUAL.opening() - 1);
    assertThat(cluster.next(opening)).as("it gets its whole time after safe mode").isNull();
    cluster.pass(1);
    assertThat(cluster.next(opening).state()).isEqualTo(State.BROKEN);
  }

  @Test
  void aClockThatGoesBackKeepsNobodyOut() {
    cluster.pass(LONG_NANOS);
    RrsRecord without =
        cluster.next(cluster.serving("a", "b", "c").broken(Cause.FAILED, "c", "c: stopped"));
    cluster.running.remove("d");
    cluster.nanos -= LONG_NANOS;
    cluster.keeper = keeper(2);
    assertThat(cluster.next(without.serving()).joining().member().node()).isEqualTo("c");
  }

  @Test
  void nobodyIsBlamedForHdfs() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    assertThat(cluster.next(now)).isNull();
    RrsRecord stalled = now.broken(Cause.STALLED, "a", "a keeps a batch");
    assertThat(cluster.next(stalled)).isNull();
    cluster.trouble = Optional.empty();
    RrsRecord next = cluster.next(stalled);
    assertThat(next.nodes()).containsExactly("a", "b", "c");
    assertThat(next.suspicions())
        .isEqualTo(cluster.next(now.broken(Cause.FAILED, "", "")).suspicions());
  }

  @Test
  void nobodyIsBlamedForANameNodeThatDoesNotAnswer() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.follow(now);
    EpochRegister known = cluster.register;
    RrsRecord stalled = now.broken(Cause.STALLED, "a", "a keeps a batch");
    cluster.register = null; // it cannot be read after the record has changed
    assertThat(cluster.look(stalled)).isNull();
    cluster.trouble = Optional.of(Reason.NO_NAMENODE);
    assertThat(cluster.look(stalled)).isNull();
    cluster.trouble = Optional.empty();
    cluster.register = known;
    assertThat(cluster.next(stalled).nodes()).containsExactly("a", "b", "c");
  }

  /** Each record is unread for a moment. That alone excuses nobody. */
  @Test
  void whoStallsIsBlamedThoughTheRegisterIsNotReadYet() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.follow(now);
    EpochRegister known = cluster.register;
    RrsRecord stalled = now.broken(Cause.STALLED, "a", "a keeps a batch");
    cluster.register = null;
    assertThat(cluster.look(stalled)).isNull();
    cluster.register = known;
    assertThat(cluster.next(stalled).nodes()).doesNotContain("a");
  }
}
