package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.replacement.ScriptedCluster.LONG_NANOS;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.Succession.Waiver;

/** How long a region waits for holders that are away (§2.1), on a scripted cluster. */
class AbsentHoldersTest {
  private final ScriptedCluster cluster = new ScriptedCluster("a", "b", "c", "d");

  /** A user who lives speaks. So its epoch gets the time that any epoch has to open. */
  @Test
  void anEpochWithoutAHolderWaitsForTheUserAndThenForNobody() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("c");
    RrsRecord next = cluster.next(now);
    assertThat(next.link().waiver()).isEqualTo(Waiver.NONE);
    cluster.keeper.opened(next.epoch(), cluster.nanos);
    cluster.pass(KeeperTimes.USUAL.opening() - 1);
    assertThat(cluster.next(next)).isNull();
    cluster.pass(1);
    RrsRecord waived = cluster.next(next);
    assertThat(waived.members()).isEqualTo(next.members());
    assertThat(waived.link().waiver()).isEqualTo(Waiver.TIME_IS_OVER);
    assertThat(waived.link().before()).isEqualTo(now.link().signature());
    assertThat(cluster.next(waived)).as("it opens").isNull();
  }

  @Test
  void withoutAUserTheTimeIsShorter() {
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("b", "c").forEach(cluster.running::remove);
    RrsRecord next = cluster.next(now);
    assertThat(next.nodes()).containsExactly("a", "d");
    cluster.pass(KeeperTimes.USUAL.proof() - 1);
    assertThat(cluster.next(next)).isNull();
    cluster.pass(1);
    RrsRecord waived = cluster.next(next);
    assertThat(waived.link().waiver()).isEqualTo(Waiver.TIME_IS_OVER);
    assertThat(waived.members()).isEqualTo(next.members());
    assertThat(waived.note()).contains("[b, c] did not come back");
  }

  @Test
  void theTimeBeginsAnewOnceAnEpochHasServed() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("c");
    RrsRecord next = cluster.next(now);
    cluster.pass(KeeperTimes.USUAL.proof() - 1);
    RrsRecord serves = next.serving();
    cluster.next(serves);
    cluster.running.remove("b");
    RrsRecord third = cluster.next(serves);
    cluster.pass(1);
    assertThat(cluster.next(third)).isNull();
  }

  @Test
  void aHolderThatComesBackIsTakenIntoAnEpochThatWaitsForIt() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    Member back = cluster.running.remove("c");
    RrsRecord next = cluster.next(now);
    assertThat(next.nodes()).containsExactly("a", "b");
    cluster.running.put("c", back);
    cluster.pass(KeeperTimes.USUAL.pause() << 2);
    RrsRecord whole = cluster.next(next);
    assertThat(whole.nodes()).containsExactly("a", "b", "c");
    assertThat(whole.link().succession().isWhole()).isTrue();
  }

  /** A DataNode retires: nobody is away. */
  @Test
  void aPlannedChangeWaitsForTheUserToo() {
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.next(now);
    for (boolean hasUser : new boolean[] {true, false}) {
      cluster.hasUser = hasUser;
      RrsRecord ready = now.joining(cluster.running.get("d"), true);
      List.of("a", "b").forEach(n -> cluster.states.put(n, DataNodeState.DECOMMISSIONING));
      cluster.keeper.opened(now.epoch(), cluster.nanos);
      cluster.pass(LONG_NANOS);
      assertThat(cluster.next(ready).link().waiver())
          .isEqualTo(hasUser ? Waiver.NONE : Waiver.NO_USER);
    }
  }

  /** Safe mode may last for minutes, and nobody could be asked. */
  @Test
  void theTimeDoesNotCountWhileHdfsIsInTrouble() {
    RrsRecord now = cluster.serving("a", "b", "c");
    List.of("b", "c").forEach(cluster.running::remove);
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    cluster.next(now);
    cluster.pass(LONG_NANOS);
    cluster.next(now);
    cluster.trouble = Optional.empty();
    assertThat(cluster.next(now).link().waiver()).isEqualTo(Waiver.NO_USER);
  }

  /** It may end each time while the epoch opens. */
  @Test
  void aHolderIsTakenBackOnceUntilTheRegionServes() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    Member back = cluster.running.remove("c");
    RrsRecord next = cluster.next(now);
    for (int i = 0; i < 2; i++) {
      cluster.running.put("c", back);
      cluster.pass(KeeperTimes.USUAL.pause() << 3);
      RrsRecord whole = cluster.next(next);
      assertThat(whole == null).isEqualTo(i > 0);
      cluster.running.remove("c");
      next = i == 0 ? cluster.next(whole) : next;
    }
  }

  /** It runs, but a session has said that it is wrong. */
  @Test
  void aSuspectIsNotTakenBackByAnEpochThatWaits() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord next = cluster.next(now.broken(Cause.WRONG_ANSWER, "c", ""));
    assertThat(next.nodes()).doesNotContain("c");
    cluster.pass(KeeperTimes.USUAL.pause() << 2);
    assertThat(cluster.next(next)).isNull();
    cluster.hasUser = false;
    cluster.pass(KeeperTimes.USUAL.proof());
    RrsRecord waived = cluster.next(next);
    assertThat(waived.nodes()).isEqualTo(next.nodes());
    assertThat(waived.link().waiver()).isEqualTo(Waiver.TIME_IS_OVER);
  }

  @Test
  void withoutAUserTwoHoldersAreEnough() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    cluster.running.remove("c");
    RrsRecord next = cluster.next(now);
    cluster.hasUser = false;
    RrsRecord waived = cluster.next(next);
    assertThat(waived.link().waiver()).isEqualTo(Waiver.NO_USER);
    assertThat(waived.nodes()).isEqualTo(next.nodes());
    assertThat(cluster.next(waived)).isNull();
  }

  @Test
  void anEpochOfAllHoldersWaitsForNobody() {
    cluster.hasUser = true;
    RrsRecord now = cluster.serving("a", "b", "c");
    RrsRecord next = cluster.next(now.broken(Cause.FAILED, "", ""));
    assertThat(next.link().succession().isWhole()).isTrue();
    cluster.pass(KeeperTimes.USUAL.proof());
    assertThat(cluster.next(next)).isNull();
  }
}
