package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.replacement.ScriptedCluster.LONG_NANOS;
import static org.salus.core.replacement.ScriptedCluster.keeper;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.replacement.RrsRecord.State;

/** Servers that join a region, and members that leave because their DataNodes retire. */
class RegionKeeperJoiningTest {
  private final ScriptedCluster cluster = new ScriptedCluster("a", "b", "c", "d");

  @Test
  void aServerGetsReadyBeforeItJoins() {
    RrsRecord now = cluster.serving("a", "b");
    cluster.placement = List.of("d", "c");
    cluster.keeper.opened(now.epoch(), cluster.nanos);
    cluster.pass(KeeperTimes.USUAL.join() - 1);
    assertThat(cluster.next(now)).as("the members first do what has waited").isNull();
    cluster.pass(1);
    RrsRecord asked = cluster.next(now);
    assertThat(asked.state()).isEqualTo(State.SERVING);
    assertThat(asked.joining().member().node()).isEqualTo("d");
    assertThat(cluster.next(asked)).isNull();
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.epoch()).isEqualTo(6);
    assertThat(joined.nodes()).containsExactly("a", "b", "d");
    assertThat(joined.holders()).containsExactly("a", "b");
  }

  @Test
  void aServerThatDoesNotGetReadyJoinsAsItIs() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = cluster.next(cluster.serving("a", "b"));
    assertThat(cluster.next(asked)).isNull();
    cluster.pass(KeeperTimes.USUAL.ready() - 1);
    assertThat(cluster.next(asked)).isNull();
    cluster.pass(1);
    assertThat(cluster.next(asked).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void aServerThatIsGoneGetsReadyNoMore() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = cluster.next(cluster.serving("a", "b"));
    cluster.running.remove("c");
    assertThat(cluster.next(asked).joining().member().node()).isEqualTo("d");
  }

  @Test
  void nobodyIsPutOutNorAnEpochEndedForAServerThatJoins() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = cluster.next(cluster.serving("a", "b"));
    RrsRecord ready = asked.joining(asked.joining().member(), true);
    cluster.withoutDataNode.add("b");
    assertThat(cluster.next(ready)).isNull();
    cluster.withoutDataNode.add("a");
    assertThat(cluster.next(ready)).isNull();
    cluster.withoutDataNode.clear();
    assertThat(cluster.next(ready).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void aJoinerIsBlamedBeforeThoseThatHaveServed() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = cluster.next(cluster.serving("a", "b"));
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(cluster.next(joined)).isNull();
    cluster.pass(KeeperTimes.USUAL.opening());
    assertThat(cluster.next(joined).suspect()).isEqualTo("c");
  }

  @Test
  void aServerJoinsAndTheMemberWhoseDataNodeRetiresLeaves() {
    for (DataNodeState state : DataNodeState.values()) {
      cluster.keeper = keeper(2);
      cluster.states.put("b", state);
      RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
      if (state == DataNodeState.FULL) {
        assertThat(asked.note()).as("d would soon be full, too").contains("b has no room");
        assertThat(asked.joining()).isNull();
        continue;
      }
      if (!state.isLeft()) {
        assertThat(asked).as(state.words()).isNull();
        continue;
      }
      assertThat(asked.state()).isEqualTo(State.SERVING);
      assertThat(asked.joining().member().node()).isEqualTo("d");
      assertThat(cluster.next(asked)).as("not before it is ready").isNull();
      RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
      assertThat(joined.nodes()).containsExactly("a", "c", "d");
      assertThat(joined.holders()).as("joiners read what b has").containsExactly("a", "b", "c");
      assertThat(joined.history().replacements()).containsEntry(Cause.RETIRED, 1);
      assertThat(joined.note()).contains("the DataNode of b " + state.words());
      assertThat(cluster.next(joined.serving())).isNull();
    }
  }

  @Test
  void allWhoAreDrainedLeaveOneByOne() {
    cluster.states.put("a", DataNodeState.DRAINED);
    cluster.states.put("b", DataNodeState.DRAINED);
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("c", "a", "d");
    RrsRecord told = cluster.next(joined.serving());
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.note())
        .contains("no other server can join: the DataNode of a is being drained");
  }

  @Test
  void membersThatAreAllDrainedLeaveOneByOne() {
    List.of("a", "b", "c").forEach(n -> cluster.states.put(n, DataNodeState.DRAINED));
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("a", "b", "d");
    assertThat(joined.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void whoIsDrainedGoesOnWhileNobodyCanTakeHisPlace() {
    List.of("a", "b", "c").forEach(n -> cluster.states.put(n, DataNodeState.DRAINED));
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord next = cluster.next(now.broken(Cause.STALLED, "", "stalled"));
    assertThat(next.nodes()).as("HDFS places replicas there").containsExactly("a", "b", "c");
    cluster.states.remove("c");
    next = cluster.next(now.broken(Cause.STALLED, "", "stalled"));
    assertThat(next.nodes()).as("the others first").startsWith("c");
  }

  /** It would be put out again as soon as the region serves, for ever. */
  @Test
  void whoIsDrainedIsNotTakenBackWhileTheOthersLive() {
    cluster.states.put("c", DataNodeState.DRAINED);
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("a", "b", "d");
    assertThat(cluster.next(joined)).isNull();
    cluster.pass(2 * KeeperTimes.USUAL.pause());
    assertThat(cluster.next(joined)).isNull();
    cluster.withoutDataNode.add("d");
    assertThat(cluster.next(joined).nodes()).as("now it is needed").contains("c");
  }

  /** The one that goes on may be wrong. */
  @Test
  void whoIsDrainedIsTakenBackIfOnlyOneOtherHolderIsThere() {
    cluster.states.put("c", DataNodeState.DRAINED);
    cluster.running.remove("d");
    RrsRecord now = cluster.serving("a", "c");
    RrsRecord.Member c = cluster.running.remove("c");
    RrsRecord without = cluster.next(now);
    assertThat(without.nodes()).containsExactly("a", "b");
    cluster.running.put("c", c);
    cluster.pass(2 * KeeperTimes.USUAL.pause());
    assertThat(cluster.next(without).nodes()).contains("a", "c");
  }

  @Test
  void whoIsDrainedIsTheLastSpareOfWhatDoesNotServe() {
    cluster.placement = List.of("d", "b", "a");
    cluster.states.put("d", DataNodeState.DRAINED);
    RrsRecord alone = cluster.serving("a", "b").broken(Cause.FAILED, "b", "b: its disk failed");
    cluster.running.remove("b");
    assertThat(cluster.next(alone).nodes()).containsExactly("a", "c");
    cluster.states.put("c", DataNodeState.FULL);
    cluster.keeper = keeper(2);
    assertThat(cluster.next(alone).nodes()).as("a full one before it").containsExactly("a", "c");
    cluster.running.remove("c");
    cluster.keeper = keeper(2);
    assertThat(cluster.next(alone).nodes()).containsExactly("a", "d");
  }

  @Test
  void whoIsDrainedIsAMemberOfAFirstEpochForWantOfOthers() {
    cluster.placement = List.of("d", "b", "a");
    cluster.states.put("d", DataNodeState.DRAINED);
    assertThat(cluster.look(null).nodes()).containsExactly("b", "a", "c");
    cluster.running.remove("c");
    assertThat(cluster.look(null).nodes()).containsExactly("b", "a", "d");
  }

  @Test
  void whoIsDrainedJoinsNothingThatServes() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = cluster.next(cluster.serving("a", "b"));
    RrsRecord ready = asked.joining(asked.joining().member(), true);
    List.of("c", "d").forEach(n -> cluster.states.put(n, DataNodeState.DRAINED));
    RrsRecord told = cluster.next(ready);
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.joining()).as("nobody gets ready").isNull();
    cluster.states.remove("d");
    assertThat(cluster.next(ready).joining().member().node()).isEqualTo("d");
  }

  /** Its server would seem to be needed. */
  @Test
  void nobodyGetsReadyToJoinAnyMoreWhenTheMembersStay() {
    cluster.states.put("b", DataNodeState.DRAINED);
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    assertThat(asked.joining().member().node()).isEqualTo("d");
    cluster.states.clear();
    assertThat(cluster.next(asked).joining()).isNull();
  }

  /** HDFS would not place the segment of an epoch with one of them. */
  @Test
  void allWhoseDataNodesRetireLeaveAtOnce() {
    cluster.states.put("a", DataNodeState.DECOMMISSIONING);
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord asked = cluster.next(cluster.serving("a", "b", "c"));
    RrsRecord joined = cluster.next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("c", "d");
  }

  @Test
  void aMemberStaysWhileNobodyCanTakeItsPlaceAndTheRecordSaysWhy() {
    cluster.running.remove("d");
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord told = cluster.next(now);
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.nodes()).containsExactly("a", "b", "c");
    assertThat(told.note())
        .contains("no other server can join: the DataNode of b is being decommissioned");
    assertThat(cluster.next(told)).as("it is said once").isNull();
    cluster.states.clear();
    assertThat(cluster.next(told).note()).as("it is over").isEqualTo(now.note());
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    RrsRecord without = cluster.next(told.broken(Cause.STALLED, "", told.note()));
    assertThat(without.nodes()).as("HDFS gives b no other segment").containsExactly("a", "c");
    assertThat(without.note()).isEqualTo(now.note());
    cluster.pass(LONG_NANOS);
    assertThat(cluster.next(without.serving()).note())
        .contains("[a, c], for no other server can join");
  }

  @Test
  void aStaleDataNodeJoinsOnlyForWantOfOthers() {
    cluster.pass(LONG_NANOS);
    cluster.placement = List.of("c", "d");
    cluster.states.put("c", DataNodeState.STALE);
    assertThat(cluster.next(cluster.serving("a", "b")).joining().member().node()).isEqualTo("d");
    cluster.running.remove("d");
    assertThat(cluster.next(cluster.serving("a", "b")).joining().member().node()).isEqualTo("c");
  }

  @Test
  void aRegionWhoseHoldersAllRetireWaitsAndSaysSo() {
    List.of("a", "b", "c").forEach(n -> cluster.states.put(n, DataNodeState.DECOMMISSIONING));
    RrsRecord now = cluster.serving("a", "b", "c");
    assertThat(cluster.next(now).state())
        .as("its open segment still takes writes")
        .isEqualTo(State.SERVING);
    RrsRecord waits = cluster.next(now.broken(Cause.STALLED, "", "stalled"));
    assertThat(waits.state()).isEqualTo(State.BROKEN);
    assertThat(waits.note())
        .contains("it waits: HDFS places nothing where its data is", "the DataNode of c is being");
    cluster.states.remove("c");
    assertThat(cluster.next(waits).nodes()).containsExactly("c", "d");
  }

  @Test
  void aSuspectDoesNotGoOnInThePlaceOfHoldersThatRetire() {
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    cluster.states.put("c", DataNodeState.DECOMMISSIONING);
    RrsRecord wrong =
        cluster.serving("a", "b", "c").broken(Cause.WRONG_ANSWER, "a", "a: a wrong block");
    assertThat(cluster.next(wrong).note()).contains("take one back", "b is being decommissioned");
    cluster.states.remove("b");
    assertThat(cluster.next(wrong).nodes()).contains("b").doesNotContain("a", "c");
  }

  @Test
  void membersThatDisagreeNeedAThirdThoughItRetires() {
    cluster.running.remove("d");
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord differ =
        cluster.serving("a", "b", "c").broken(Cause.DISAGREED, "", "they answer differently");
    assertThat(cluster.next(differ).state()).isEqualTo(State.BROKEN);
    cluster.states.remove("b");
    assertThat(cluster.next(differ).nodes()).containsExactly("a", "b", "c");
  }

  /** Else two that differ would end epoch after epoch, until the third is trusted again. */
  @Test
  void whoBrokeAnEpochTellsWhichOfTwoIsRight() {
    RrsRecord.Member d = cluster.running.remove("d");
    RrsRecord without =
        cluster.next(cluster.serving("a", "b", "c").broken(Cause.WRONG_ANSWER, "c", "c is wrong"));
    assertThat(without.nodes()).containsExactly("a", "b");
    RrsRecord again = cluster.next(without.serving().broken(Cause.DIFFERED, "", "they differ"));
    assertThat(again.nodes()).as("the last suspect").containsExactly("a", "b");
    RrsRecord third = cluster.next(again.serving().broken(Cause.DIFFERED, "", "they differ"));
    assertThat(third.nodes()).containsExactly("a", "b", "c");
    cluster.running.put("d", d);
    RrsRecord odd = cluster.next(third.serving().broken(Cause.DIFFERED, "b", "b differs"));
    assertThat(odd.nodes()).containsExactly("a", "c", "d");
  }

  /** The two that agree go on. A third that does not open would bring the odd one back. */
  @Test
  void whoBrokeAnEpochIsNotNeededWhereTheOddOneIsKnown() {
    RrsRecord.Member d = cluster.running.remove("d");
    RrsRecord wrong = cluster.serving("a", "b", "c").broken(Cause.WRONG_ANSWER, "c", "c is wrong");
    RrsRecord without = cluster.next(wrong);
    assertThat(without.nodes()).containsExactly("a", "b");
    cluster.running.put("d", d);
    RrsRecord three = cluster.next(without.serving().broken(Cause.DIFFERED, "", "they differ"));
    assertThat(three.nodes()).containsExactly("a", "b", "d");
    RrsRecord odd = cluster.next(three.serving().broken(Cause.DIFFERED, "b", "b differs"));
    assertThat(odd.nodes()).containsExactly("a", "d");
  }

  @Test
  void aFullDataNodeJoinsNothingThatServes() {
    cluster.pass(LONG_NANOS);
    cluster.running.remove("d");
    cluster.states.put("c", DataNodeState.FULL);
    RrsRecord told = cluster.next(cluster.serving("a", "b"));
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.joining()).isNull();
    assertThat(told.note())
        .endsWith(
            "; it goes on with [a, b], for no other server can join: the DataNode of c has no"
                + " room");
  }
}
