package org.salus.sim.fault.wrong.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect;
import org.salus.sim.FaultPlan;
import org.salus.sim.Seeds;
import org.salus.sim.SimOptions;
import org.salus.sim.Simulation;

/** A replacement is stopped after each of its steps, and the then active master begins it again. */
class EveryStepTest {
  private static final int SEEDS = 20;

  /**
   * An M0 that stops: in the second epoch at once, in the third after one step, and so on until an
   * epoch serves.
   */
  private static final class Stopping extends WrongMember {
    private final Set<String> stoppedBefore;
    private int left;
    private boolean serving;
    private boolean stopped;

    Stopping(Given given, Set<String> stoppedBefore) {
      super(given, new Random(0));
      this.stoppedBefore = stoppedBefore;
      this.left = seat.epoch() < 2 || seat.place() > 0 ? Integer.MAX_VALUE : seat.epoch() - 2;
    }

    @Override
    protected void instead(MemberEffect e, List<MemberEffect> out) {
      if (!serving && left == 0 && !stopped) {
        stopped = true;
        stoppedBefore.add(e.getClass().getSimpleName());
        out.add(new MemberEffect.Suspect(-1, "stopped before " + e.getClass().getSimpleName()));
      } else if (!stopped) {
        left--;
        serving |= e instanceof MemberEffect.Serving;
        out.add(e);
      }
    }
  }

  @Test
  void aReplacementThatStopsAfterAnyStepIsRunAgain() throws InterruptedException {
    Set<String> stoppedBefore = ConcurrentHashMap.newKeySet();
    SimOptions options =
        SimOptions.standard()
            .withFaults(FaultPlan.only("ServerCrash", "MasterLoss"))
            .withMembers(
                (spec, seat, signer, config) ->
                    new Stopping(new WrongMember.Given(spec, seat, signer, config), stoppedBefore));
    Seeds.each("replacements that stop", SEEDS, seed -> new Simulation(seed, options).run());
    assertThat(stoppedBefore)
        .contains(
            "ScanLog",
            "Send",
            "RecoverSegments",
            "CreateSegment",
            "ReplayLog",
            "Append",
            "Serving");
  }
}
