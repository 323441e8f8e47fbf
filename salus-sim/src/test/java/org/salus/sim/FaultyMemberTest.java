package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.salus.core.member.MemberMutants;
import org.salus.sim.fault.Plan;

/** One node is wrong: every property holds, and the regions go on without it. */
class FaultyMemberTest {
  private static final int SEEDS = 60;

  @Test
  void aMemberThatBuildsOtherCheckpointsIsExcluded() throws InterruptedException {
    Queue<String> excluded = new ConcurrentLinkedQueue<>();
    SimOptions options = SimOptions.standard().withFaults(Plan.only("ClientCrash", "ServerCrash", "AllServersCrash"));
    Seeds.each("a faulty node", SEEDS, seed -> new Simulation(seed, options.withFaulty("node1", MemberMutants::buildsOtherCheckpoints).withTrace(line -> {
      if (line.contains("goes on without")) {
        excluded.add(line);
      }
    })).run());
    assertThat(excluded).isNotEmpty().allSatisfy(line -> assertThat(line).contains("without node1"));
  }
}
