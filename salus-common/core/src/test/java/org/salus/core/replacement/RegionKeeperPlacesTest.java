package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.replacement.ScriptedCluster.LONG_NANOS;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

/** Where replicas are that cannot be beside their members (§4.2.1). */
class RegionKeeperPlacesTest {
  private final ScriptedCluster cluster = new ScriptedCluster("a", "b", "c");

  private static Member away(String node, String dataNode) {
    return new Member(node, 1, dataNode);
  }

  /** The region serves with the replica of b on x. */
  private RrsRecord servingAway() {
    return servingAway("x");
  }

  private RrsRecord servingAway(String dataNode) {
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    cluster.dataNodes = List.of(dataNode);
    RrsRecord now = cluster.next(cluster.serving("a", "b", "c")).serving();
    assertThat(now.link().dataNodes()).containsExactly("a:dn", "c:dn", dataNode);
    cluster.pass(LONG_NANOS);
    return now;
  }

  @Test
  void aReplicaMovesWhereNoServerCanJoinAndThatIsTold() {
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    cluster.dataNodes = List.of("x");
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord moved = cluster.next(now);
    assertThat(moved.state()).isEqualTo(State.OPENING);
    assertThat(moved.members()).contains(away("b", "x")).hasSize(3);
    assertThat(moved.link().before()).isEqualTo(now.link().signature());
    assertThat(moved.link().isHolder(away("b", "x"))).as("it has nothing there yet").isFalse();
    assertThat(moved.link().succession().staying()).isEqualTo(2);
    assertThat(moved.history().replacements()).containsEntry(Cause.MOVED, 1);
    assertThat(moved.note()).isEqualTo("the replica of b moves from b:dn to x");
    cluster.pass(LONG_NANOS);
    RrsRecord told = cluster.next(moved.serving());
    assertThat(told.epoch()).isEqualTo(moved.epoch());
    assertThat(told.note()).contains("the replica of b is on x, so it is slower");
    assertThat(cluster.next(told)).as("it is said once").isNull();
  }

  @Test
  void aServerWithADataNodeOfItsOwnIsBetter() {
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    cluster.dataNodes = List.of("x");
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    assertThat(asked.joining().member()).isEqualTo(cluster.running.get("d"));
  }

  @Test
  void aServerThatStartsLaterTakesThePlaceOfAMemberWhoseReplicaIsElsewhere() {
    RrsRecord now = servingAway();
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    assertThat(cluster.next(now).joining()).as("it may soon be full").isNull();
    cluster.dataNodes = List.of("d:dn", "x");
    RrsRecord asked = cluster.next(now);
    assertThat(asked.joining().member().node()).isEqualTo("d");
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("a", "c", "d");
  }

  /** The machine of a replica that is elsewhere can get its own server back. */
  @Test
  void theServerBesideTheReplicaTakesThePlaceOfItsMember() {
    RrsRecord now = servingAway("d:dn");
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    RrsRecord asked = cluster.next(now);
    assertThat(cluster.next(asked.joining(asked.joining().member(), true)).link().dataNodes())
        .containsExactly("a:dn", "c:dn", "d:dn");
  }

  @Test
  void aReplicaLeavesAFullDataNodeOnlyForOneWithAmpleRoom() {
    cluster.states.put("b", DataNodeState.FULL);
    RrsRecord now = cluster.serving("a", "b", "c");
    assertThat(cluster.next(now).note())
        .endsWith("for no other server can join: the DataNode of b has no room");
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    assertThat(cluster.next(now).joining()).as("d would soon be full").isNull();
    cluster.dataNodes = List.of("x");
    assertThat(cluster.next(now).members()).contains(away("b", "x"));
    cluster.dataNodes = List.of("x", "d:dn");
    assertThat(cluster.next(now).joining().member().node()).isEqualTo("d");
  }

  @Test
  void aRegionThatWaitsForRoomGoesOnWhereThereIsSome() {
    cluster.states.put("b", DataNodeState.FULL);
    RrsRecord now = cluster.next(cluster.serving("a", "b", "c").broken(Cause.FAILED, "", "c hung"));
    assertThat(now.nodes()).contains("b");
    RrsRecord full = now.full("no room");
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(full)).isNull();
    cluster.dataNodes = List.of("a:dn", "c:dn", "x");
    RrsRecord moved = cluster.next(full);
    assertThat(moved.members()).contains(away("b", "x"));
    assertThat(moved.holders()).containsExactly("a", "b", "c");
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    cluster.dataNodes = List.of("a:dn", "c:dn", "d:dn");
    assertThat(cluster.next(full).link().dataNodes()).containsExactly("a:dn", "c:dn", "d:dn");
  }

  @Test
  void aReplicaComesHomeWhenThereIsAmpleRoomAgain() {
    RrsRecord now = servingAway();
    cluster.states.clear();
    assertThat(cluster.next(now).state()).as("not for a little room").isEqualTo(State.SERVING);
    cluster.dataNodes = List.of("b:dn", "x");
    RrsRecord home = cluster.next(now);
    assertThat(home.link().dataNodes()).containsExactly("a:dn", "c:dn", "b:dn");
    assertThat(home.note()).isEqualTo("the replica of b moves from x to b:dn");
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(home.serving())).isNull();
  }

  @Test
  void aReplicaLeavesTheDataNodeOfAServerThatIsDrained() {
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    cluster.dataNodes = List.of("d:dn");
    RrsRecord now = cluster.next(cluster.serving("a", "b", "c")).serving();
    assertThat(now.members()).contains(away("b", "d:dn"));
    cluster.pass(LONG_NANOS);
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    cluster.states.put("d", DataNodeState.DRAINED);
    cluster.dataNodes = List.of("x");
    assertThat(cluster.next(now).members()).contains(away("b", "x"));
    cluster.running.remove("d"); // its host goes soon
    cluster.dataNodes = List.of("d:dn", "x");
    assertThat(cluster.next(now).members()).contains(away("b", "x"));
  }

  @Test
  void noReplicaGoesToADrainedHostWhoseServerHasStopped() {
    cluster.states.put("b", DataNodeState.FULL);
    cluster.states.put("d", DataNodeState.DRAINED);
    cluster.dataNodes = List.of("d:dn");
    RrsRecord now = cluster.next(cluster.serving("a", "b", "c"));
    assertThat(now.state()).as("nothing moves").isEqualTo(State.SERVING);
    cluster.dataNodes = List.of("d:dn", "x");
    assertThat(cluster.next(now).members()).contains(away("b", "x"));
  }

  @Test
  void nothingComesHomeToAServerThatIsDrained() {
    RrsRecord now = servingAway();
    cluster.states.put("b", DataNodeState.DRAINED);
    cluster.dataNodes = List.of("b:dn", "x");
    assertThat(cluster.next(now).state()).isEqualTo(State.SERVING);
  }

  @Test
  void aReplicaStaysWhereItIsThroughAFailure() {
    RrsRecord now = servingAway();
    cluster.states.clear();
    cluster.dataNodes = List.of("b:dn", "x");
    RrsRecord next = cluster.next(now.broken(Cause.STALLED, "", "stalled"));
    assertThat(next.members()).containsExactlyInAnyOrderElementsOf(now.members());
    assertThat(next.link().succession().isWhole()).isTrue();
  }

  @Test
  void theDataIsWhereItWasUntilAMoveServes() {
    cluster.states.put("b", DataNodeState.FULL);
    cluster.dataNodes = List.of("x");
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord moved = cluster.next(now);
    cluster.pass(LONG_NANOS);
    cluster.withoutDataNode.add("x");
    RrsRecord back = cluster.next(moved.broken(Cause.FAILED, "", "x is dead"));
    assertThat(back.members()).containsExactlyInAnyOrderElementsOf(now.members());
    assertThat(back.link().isHolder(cluster.running.get("b"))).isTrue();
    cluster.withoutDataNode.add("b");
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(back.broken(Cause.FAILED, "", "b is dead, too")).nodes())
        .doesNotContain("b");
  }

  @Test
  void nobodyIsToBlameForAMoveThatFails() {
    cluster.states.put("b", DataNodeState.FULL);
    cluster.dataNodes = List.of("x");
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord moved = cluster.next(now);
    assertThat(cluster.next(moved)).isNull();
    cluster.pass(KeeperTimes.USUAL.opening());
    RrsRecord late = cluster.next(moved);
    assertThat(late.state()).isEqualTo(State.BROKEN);
    assertThat(late.suspect()).isEmpty();
    assertThat(cluster.next(late).members()).containsExactlyInAnyOrderElementsOf(now.members());
    RrsRecord failed = moved.broken(Cause.FAILED, "b", "b: its replica failed");
    assertThat(cluster.next(failed).members()).containsExactlyInAnyOrderElementsOf(now.members());
    RrsRecord proved = moved.broken(Cause.WRONG_ANSWER, "b", "b answers wrongly");
    assertThat(cluster.next(proved).nodes()).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void aMoveThatHasFailedIsTriedAgainLaterEachTime() {
    cluster.states.put("b", DataNodeState.FULL);
    cluster.dataNodes = List.of("x");
    RrsRecord now = cluster.serving("a", "b", "c");
    long pause = KeeperTimes.USUAL.join();
    for (int failures = 0; failures < 4; failures++) {
      RrsRecord moved = cluster.next(now);
      assertThat(moved.members()).as("attempt " + failures).contains(away("b", "x"));
      RrsRecord back = cluster.next(moved.broken(Cause.FAILED, "b", "b: x does not answer"));
      assertThat(back.members()).containsExactlyInAnyOrderElementsOf(now.members());
      now = cluster.next(back.serving());
      cluster.pass((pause << failures) - 1);
      assertThat(cluster.next(now)).isNull();
      cluster.pass(1);
    }
  }

  @Test
  void whoseReplicaFailsElsewhereCanStillJoinOtherRegions() {
    RrsRecord now = servingAway();
    cluster.withoutDataNode.add("x");
    cluster.states.clear();
    RrsRecord next = cluster.next(now.broken(Cause.FAILED, "b", "b: its replica failed"));
    assertThat(next.nodes()).containsExactlyInAnyOrder("a", "c");
    cluster.pass(LONG_NANOS);
    RrsRecord again = cluster.serving("a", "c");
    assertThat(cluster.next(again).joining().member()).isEqualTo(cluster.running.get("b"));
  }

  @Test
  void noMachineHasAnythingOfTwoMembers() {
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    cluster.dataNodes = List.of("a:dn", "c:dn");
    assertThat(cluster.next(cluster.serving("a", "b", "c")).link().dataNodes())
        .containsExactly("a:dn", "b:dn", "c:dn");
    RrsRecord now = servingAway();
    cluster.states.put("a", DataNodeState.FULL);
    cluster.dataNodes = List.of("x", "b:dn");
    assertThat(cluster.next(now).link().dataNodes())
        .as("x has a replica, and b's server is a member")
        .doesNotHaveDuplicates()
        .contains("a:dn");
  }

  @Test
  void aServerBesideTheReplicaOfAMemberIsNoOtherMember() {
    RrsRecord now = servingAway("d:dn");
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    cluster.running.remove("c");
    RrsRecord two = cluster.next(now);
    assertThat(two.link().dataNodes()).containsExactly("a:dn", "d:dn");
    cluster.pass(LONG_NANOS);
    cluster.dataNodes = List.of("e:dn");
    assertThat(cluster.next(two.serving()).joining()).isNull();
  }

  @Test
  void aHolderMustGoOnWhereItIs() {
    List.of("a", "b", "c").forEach(n -> cluster.states.put(n, DataNodeState.DECOMMISSIONING));
    cluster.dataNodes = List.of("x", "y", "z");
    RrsRecord told = cluster.next(cluster.serving("a", "b", "c"));
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.note()).contains("one of them must go on: take one back");
    cluster.states.remove("c");
    RrsRecord moved = cluster.next(told);
    assertThat(moved.nodes()).startsWith("c");
    assertThat(moved.link().dataNodes()).contains("c:dn").doesNotContain("a:dn", "b:dn");
  }

  @Test
  void aServerWhoseDataNodeIsDeadJoinsWithItsReplicaElsewhere() {
    cluster.withoutDataNode.add("b");
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord without = cluster.next(now.broken(Cause.FAILED, "", "b: its replica failed"));
    assertThat(without.nodes()).as("its data cannot be read").containsExactly("a", "c");
    cluster.pass(LONG_NANOS);
    cluster.dataNodes = List.of("x");
    RrsRecord asked = cluster.next(without.serving());
    assertThat(asked.joining().member()).isEqualTo(away("b", "x"));
    assertThat(cluster.next(asked.joining(away("b", "x"), true)).link().dataNodes())
        .containsExactly("a:dn", "c:dn", "x");
  }

  /**
   * Their DataNodes may be others, without any data. So the epoch is read from storage, and not
   * moved.
   */
  @Test
  void anEpochWithoutAHolderBesideItsDataIsARebuild() {
    RrsRecord now = cluster.serving("a", "b", "c");
    for (String n : List.of("a", "b", "c")) {
      cluster.withoutDataNode.add(n);
      cluster.running.put(n, new Member(n, 2, n + ":new"));
    }
    RrsRecord waits = cluster.next(now);
    assertThat(waits.state()).as("the DataNodes may come back").isEqualTo(State.BROKEN);
    cluster.pass(KeeperTimes.USUAL.rebuild());
    RrsRecord next = cluster.next(waits);
    assertThat(next.link().dataNodes()).containsExactly("a:new", "b:new", "c:new");
    assertThat(next.link().rebuilds()).isTrue();
    assertThat(next.link().moves()).isFalse();
    assertThat(next.members()).allMatch(next.link()::mustReach).noneMatch(next.link()::isHolder);
    assertThat(next.holders()).containsExactly("a", "b", "c");
    cluster.withoutDataNode.clear();
    cluster.running.put("a", new Member("a", 3, "a:dn"));
    RrsRecord back = cluster.next(next);
    assertThat(back.link().rebuilds()).as("one is back with its data").isFalse();
    assertThat(back.members()).contains(new Member("a", 3, "a:dn"));
  }

  @Test
  void aNewRegionHasReplicasElsewhereOnlyForWantOfServers() {
    cluster.placement = List.of("a", "b", "c");
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    assertThat(cluster.look(null)).isNull();
    cluster.dataNodes = List.of("x");
    assertThat(cluster.look(null).link().dataNodes()).containsExactly("a:dn", "c:dn", "x");
    cluster.running.put("d", new Member("d", 1, "d:dn"));
    assertThat(cluster.look(null).link().dataNodes()).containsExactly("a:dn", "c:dn", "d:dn");
  }

  @Test
  void eachAttemptPrefersAnotherDataNode() {
    cluster.states.put("b", DataNodeState.FULL);
    cluster.dataNodes = List.of("x", "y");
    RrsRecord now = cluster.serving("a", "b", "c");
    String first = cluster.next(now).link().dataNodes().get(2);
    RrsRecord later =
        new RrsRecord(now.link().next(6, now.members(), ScriptedCluster.SIGNER), State.OPENING, "")
            .serving();
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(later).link().dataNodes().get(2)).isNotEqualTo(first);
  }
}
