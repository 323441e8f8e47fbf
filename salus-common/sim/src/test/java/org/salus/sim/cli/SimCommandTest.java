package org.salus.sim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class SimCommandTest {
  /** Options that choose seeds or what is printed. All others change the run. */
  private static final Set<String> NOT_OF_THE_RUN =
      Set.of("--seeds", "--start-seed", "--seed", "--trace", "--help", "--version");

  private static SimCommand command(String... args) {
    SimCommand command = new SimCommand();
    new CommandLine(command).parseArgs(args);
    return command;
  }

  @Test
  void theReplayCommandHasEveryOptionThatChangesTheRun() {
    String replay =
        command("--requests", "7", "--beyond", "--faults", "PowerCut,BitRot").replay(4711);
    assertThat(replay)
        .isEqualTo(
            "bin/salus sim --seed 4711 --trace --requests 7 --beyond --faults PowerCut,BitRot");
    for (OptionSpec option : new CommandLine(new SimCommand()).getCommandSpec().options()) {
      if (!NOT_OF_THE_RUN.contains(option.longestName())) {
        assertThat(replay).contains(option.longestName());
      }
    }
  }

  @Test
  void theReplayCommandIsACommandThatMeansTheSame() {
    String replay = command("--requests", "7", "--faults", "PowerCut").replay(5);
    String[] words = replay.split(" ");
    SimCommand again = command(Arrays.copyOfRange(words, 2, words.length));
    assertThat(again.seed).isEqualTo(5);
    assertThat(again.requests).isEqualTo(7);
    assertThat(again.faults).containsExactly("PowerCut");
    assertThat(again.beyond).isFalse();
    assertThat(again.replay(5)).isEqualTo(replay);
  }
}
