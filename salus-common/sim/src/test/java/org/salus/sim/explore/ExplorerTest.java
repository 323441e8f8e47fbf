package org.salus.sim.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.sim.EpochMutants;
import org.salus.sim.KeeperMutants;
import org.salus.sim.LogMutants;
import org.salus.sim.MemberMutants;
import org.salus.sim.SessionMutants;
import org.salus.sim.SimOptions;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.Scenario.ExploredFault;

@Execution(ExecutionMode.CONCURRENT)
class ExplorerTest {
  private static final Explorer.Bound BOUND = new Explorer.Bound(5_000_000, 1100);

  private static Explorer.Result explore(Scenario s, SimOptions makers) {
    Explorer.Result r = new Explorer(s, makers).run(BOUND, line -> {});
    System.out.println(r);
    return r;
  }

  static List<Scenario> standard() {
    return Scenario.standard();
  }

  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  @ParameterizedTest
  @MethodSource("standard")
  void everyStandardScenarioIsExploredWholeAndHoldsEveryProperty(Scenario s) {
    Explorer.Result r = explore(s, SimOptions.standard());
    assertThat(r.broken()).isNull();
    assertThat(r.left()).as("worlds that the bound cut off").isZero();
    assertThat(r.ends()).as("ends that were healed, mounted and read back").isPositive();
  }

  private static Scenario named(String name) {
    return Scenario.all().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
  }

  /** The bug is found, and the printed way leads to it again. */
  private static void found(String bug, Scenario s, SimOptions makers) {
    Explorer.Result r = explore(s, makers);
    assertThat(r.broken()).as(bug).isNotNull();
    assertThat(r.broken().what())
        .as("a property is broken, not the explorer")
        .matches("(?s)P\\d .*");
    System.out.println(bug + ": " + r.broken().what() + "\n  after " + r.broken().choices());
    List<String> told = new ArrayList<>();
    RuntimeException again = new Replay(s, makers).run(r.broken().choices(), told::add);
    told.forEach(line -> System.out.println("  " + line));
    assertThat(again).as("replay of " + bug).isNotNull().hasMessage(r.broken().what());
    assertThat(new Replay(s, SimOptions.standard()).run(List.of(), line -> {}))
        .as("the same scenario without the bug")
        .isNull();
  }

  @Test
  void acknowledgingOnTwoLanesIsFound() {
    found(
        "acknowledges on two lanes",
        named("lanes").withFaults(Set.of()),
        SimOptions.standard().withSessions(SessionMutants.ACKNOWLEDGES_ON_TWO_LANES));
  }

  @Test
  void committingWithoutConfirmationIsFound() {
    found(
        "commits without confirmation",
        named("handover").withFaults(Set.of()),
        SimOptions.standard().withMembers(MemberMutants.COMMITS_UNCONFIRMED));
  }

  @Test
  void skippingThePrevNumCheckIsFound() {
    found(
        "skips the prevNum check",
        named("network").withFaults(EnumSet.of(ExploredFault.DROP)),
        SimOptions.standard().withMembers(LogMutants.SKIPS_PREV_NUM));
  }

  @Test
  void retiringHoldersWhateverTheUserReliesOnIsFound() {
    found(
        "retires holders whatever the user relies on",
        named("lost"),
        SimOptions.standard().withMembers(MemberMutants.RETIRES_HOLDERS));
  }

  @Test
  void aKeeperThatWaitsForNobodyIsFound() {
    found(
        "waits for nobody",
        named("lost"),
        SimOptions.standard().withKeepers(KeeperMutants.WAITS_FOR_NOBODY));
  }

  @Test
  void takingAForgedEpochIsFound() {
    found(
        "takes a forged epoch",
        named("forged"),
        SimOptions.standard().withEpochs(EpochMutants.TAKES_FORGED));
  }

  @Test
  void theSameWorldsAreCountedTwice() {
    Scenario s = named("power");
    Explorer.Result first = explore(s, SimOptions.standard());
    Explorer.Result second = explore(s, SimOptions.standard());
    assertThat(second.states()).isEqualTo(first.states());
    assertThat(second.merged()).isEqualTo(first.merged());
  }

  @Test
  void aBoundThatCutsIsTold() {
    Explorer.Result r =
        new Explorer(named("network"), SimOptions.standard())
            .run(new Explorer.Bound(1000, 600), line -> {});
    assertThat(r.left()).isPositive();
    assertThat(r.isClean()).isFalse();
    assertThat(r.toString()).contains("cut by the bound");
  }

  @Test
  void aWayThatDoesNotExistIsRefused() {
    assertThat(
            catchThrowable(
                () ->
                    new Replay(named("network"), SimOptions.standard())
                        .run(List.of(4711), line -> {})))
        .isInstanceOf(IllegalArgumentException.class)
        .isNotInstanceOf(Violation.class)
        .hasMessageContaining("no choice 4711");
  }
}
