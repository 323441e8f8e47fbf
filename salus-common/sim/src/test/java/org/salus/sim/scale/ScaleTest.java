package org.salus.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.salus.sim.scale.Costs.Cost;
import org.salus.sim.scale.Costs.Sample;
import org.salus.sim.scale.StoreModel.Measured;

class ScaleTest {
  private static final Costs SOME =
      new Costs(new Cost(15_000, 9_000), new Cost(12_000, 11_000), new Cost(20_000, 6_000));
  private static final Costs NONE = new Costs(new Cost(0, 0), new Cost(0, 0), new Cost(0, 0));
  private static final double DISK = 100e6;
  private static final int BLOCKS = 8000;

  private static ScaleScenario onDisks(boolean files) {
    return new ScaleScenario(
        6, 6, 4, 250, 500, 4000, false, files, new Hardware(4, DISK, 1e12, 1000), false);
  }

  private static ScaleScenario onOneMachine(int outstanding, int batch, boolean random) {
    return new ScaleScenario(
        3, 1, 4, batch, outstanding, BLOCKS, random, false, Hardware.ofCores(2), true);
  }

  @ParameterizedTest
  @EnumSource
  void disksAreFullWhereNothingElseIsTheLimit(StoreModel model) {
    double each = model.run(onDisks(false), NONE).steadyRate() / 6;
    assertThat(each).isCloseTo(DISK / ScaleScenario.REPLICAS, Percentage.withPercentage(5));
    assertThat(model.run(onDisks(true), NONE).steadyRate() / 6)
        .as("what is written to files too")
        .isCloseTo(each / 2, Percentage.withPercentage(10));
  }

  @ParameterizedTest
  @EnumSource
  void aSlowNetworkIsTheLimitOfWhatGoesOverIt(StoreModel model) {
    ScaleScenario slow =
        new ScaleScenario(
            6, 6, 4, 250, 1000, 8000, true, false, new Hardware(4, 1e12, DISK, 1000), false);
    double each = model.run(slow, NONE).steadyRate() / 6;
    // A server receives as a primary, and for two others: along chains in Salus, logs in HBase.
    assertThat(each).isCloseTo(DISK / ScaleScenario.REPLICAS, Percentage.withPercentage(15));
  }

  @ParameterizedTest
  @EnumSource
  void coresAreBusyWhereNothingElseIsTheLimit(StoreModel model) {
    ScaleScenario s = onOneMachine(2000, 250, false);
    Outcome o = model.run(s, SOME);
    double nanos =
        (SOME.client().nanos(o.client().calls(), o.client().blocks())
                + SOME.server().nanos(o.server().calls(), o.server().blocks())
                + SOME.dataNode().nanos(o.dataNode().calls(), o.dataNode().blocks()))
            / (double) s.blocks();
    double most = s.hardware().cores() * 1e9 / nanos * ScaleScenario.BLOCK;
    assertThat(o.rate()).isLessThan(o.steadyRate() * 1.1).isBetween(most / 2, most * 1.01);
  }

  @ParameterizedTest
  @EnumSource
  void costsAreFoundAgainInWhatTheyAmountTo(StoreModel model) {
    Costs found =
        model.costs(
            measured(model, onOneMachine(500, 250, false)),
            measured(model, onOneMachine(1, 1, true)));
    near(found.client(), SOME.client());
    near(found.server(), SOME.server());
    near(found.dataNode(), SOME.dataNode());
  }

  private static Measured measured(StoreModel model, ScaleScenario s) {
    Outcome o = model.run(s, SOME);
    return new Measured(
        s,
        perBlock(s, SOME.client(), o.client()),
        perBlock(s, SOME.server(), o.server()),
        perBlock(s, SOME.dataNode(), o.dataNode()));
  }

  private static double perBlock(ScaleScenario s, Cost cost, Tally work) {
    return cost.nanos(work.calls(), work.blocks()) / (double) s.blocks();
  }

  private static void near(Cost found, Cost expected) {
    assertThat(found.call()).isCloseTo(expected.call(), Percentage.withPercentage(10));
    assertThat(found.block()).isCloseTo(expected.block(), Percentage.withPercentage(10));
  }

  @Test
  void noPartOfACostIsNegative() {
    Sample many = new Sample(new Tally(10, 1000), 10_000);
    assertThat(Cost.of(many, new Sample(new Tally(1000, 1000), 5000)))
        .as("few blocks a call cost less")
        .isEqualTo(new Cost(0, 10));
    assertThat(Cost.of(many, new Sample(new Tally(1000, 1000), 2_000_000)))
        .as("calls alone cost more than all")
        .isEqualTo(new Cost(1000, 0));
    Cost both = Cost.of(many, new Sample(new Tally(1000, 1000), 109_000));
    assertThat(both.call()).isCloseTo(100, within(1e-6));
    assertThat(both.block()).isCloseTo(9, within(1e-6));
  }

  @ParameterizedTest
  @EnumSource
  void theSameArgumentsGiveTheSameOutcome(StoreModel model) {
    ScaleScenario s = new ScaleScenario(5, 5, 5, 100, 300, 1200, true, true, Hardware.PAPER, false);
    Outcome o = model.run(s, SOME);
    assertThat(model.run(s, SOME)).isEqualTo(o);
    List<Double> shares = new ArrayList<>();
    assertThat(model.steadyRate(s, SOME, shares::add))
        .as("where the run ends early")
        .isEqualTo(o.steadyRate());
    assertThat(shares).isSorted().endsWith(1.0);
  }

  @Test
  void regionsAreSpreadEvenlyAndTheirReplicasAreApart() {
    ScaleScenario s = new ScaleScenario(9, 9, 4, 250, 500, 4000, true, true, Hardware.PAPER, false);
    Map<String, Integer> held = new HashMap<>();
    for (int client = 0; client < s.clients(); client++) {
      for (int region = 0; region < s.regions(); region++) {
        Set<Integer> apart = new HashSet<>();
        for (int place = 0; place < ScaleScenario.REPLICAS; place++) {
          apart.add(s.server(client, region, place));
          held.merge(place + " of server " + s.server(client, region, place), 1, Integer::sum);
        }
        assertThat(apart).hasSize(ScaleScenario.REPLICAS);
      }
    }
    assertThat(held).hasSize(27).allSatisfy((what, count) -> assertThat(count).isEqualTo(4));
  }

  @Test
  void aScenarioThatCannotBeIsRefused() {
    assertThatThrownBy(
            () -> new ScaleScenario(2, 1, 4, 1, 1, 10, false, false, Hardware.PAPER, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 servers");
  }
}
