package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * One node is wrong: every property holds, and the regions go on without it. What all members have
 * lost is reported.
 */
class FaultyMemberTest {
  private static final int SEEDS = 60;
  private static final int LOSSES = 5;

  /** Matches an exclusion with a reason other than a guess. A lossy network may lead to guesses. */
  private static final Pattern EXCLUSION =
      Pattern.compile("region (\\d+) goes on without (\\w+): \\S+ built another checkpoint");

  @Test
  void aMemberThatBuildsOtherCheckpointsIsExcluded() throws InterruptedException {
    Queue<String> excluded = new ConcurrentLinkedQueue<>();
    SimOptions options =
        SimOptions.standard()
            .withFaults(FaultPlan.only("ClientCrash", "ServerCrash", "AllServersCrash"));
    Seeds.each(
        "a faulty node",
        SEEDS,
        seed -> {
          Set<Integer> regions = new TreeSet<>();
          new Simulation(
                  seed,
                  options
                      .withFaulty(Set.of("node1"), MemberMutants::buildsOtherCheckpoints)
                      .withTrace(
                          line -> {
                            Matcher first = EXCLUSION.matcher(line);
                            if (first.find() && regions.add(Integer.valueOf(first.group(1)))) {
                              excluded.add(first.group(2));
                            }
                          }))
              .run();
        });
    assertThat(excluded).as("who was the first in each region").isNotEmpty().containsOnly("node1");
  }

  @Test
  void whatAllMembersHaveLostEndsTheSessionInsteadOfLettingItWait() {
    SimOptions options =
        SimOptions.standard()
            .beyondPromise()
            .withFaults(FaultPlan.only("ClientCrash"))
            .withMembers(LogMutants.LOSES_COMMITTED);
    for (long seed = 1; seed <= LOSSES; seed++) {
      List<String> lines = new ArrayList<>();
      new Simulation(seed, options.withTrace(lines::add)).run();
      assertThat(lines)
          .as("seed %s", seed)
          .anyMatch(line -> line.contains("the logs of all members end before"))
          .anyMatch(line -> line.contains("ended") && line.contains("INTEGRITY"));
    }
  }
}
