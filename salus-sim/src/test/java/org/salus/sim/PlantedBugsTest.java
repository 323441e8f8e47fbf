package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.core.member.MemberMutants;
import org.salus.core.session.SessionMutants;

/** Each planted bug is caught; the number of seeds that it took is printed. */
class PlantedBugsTest {
  private static final int SEEDS = 300;

  private static String firstViolation(SimOptions options) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        new Simulation(seed, options).run();
      } catch (Violation | IllegalStateException e) {
        return "seed " + seed + ": " + e.getMessage();
      }
    }
    return "nothing";
  }

  private static void caught(String bug, SimOptions options) {
    String by = firstViolation(options);
    System.out.println(bug + ": caught by " + by);
    assertThat(by).isNotEqualTo("nothing");
  }

  @Test
  void acknowledgingOnTwoLanesIsCaught() {
    caught("acknowledges on two lanes", SimOptions.standard().withSessions(SessionMutants::acknowledgesOnTwoLanes));
  }

  @Test
  void skippingThePrevNumCheckIsCaught() {
    caught("skips the prevNum check", SimOptions.standard().withMembers(MemberMutants::skipsPrevNum));
  }

  @Test
  void committingWithoutConfirmationIsCaught() {
    caught("commits without confirmation", SimOptions.standard().withMembers(MemberMutants::commitsUnconfirmed));
  }
}
