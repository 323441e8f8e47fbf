package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;

class CommandWordsTest {
  private static String of(Exception failed) {
    return CommandWords.of(failed, failed.getMessage());
  }

  @Test
  void methodsBecomeCommandsAndForceBecomesAnOption() {
    assertThat(
            of(
                new SalusException.NotFound(
                    "there is no volume disk; SalusClient.list names those there are")))
        .isEqualTo("there is no volume disk; 'salus volume list' shows those there are");
    assertThat(of(new SalusException.Busy("disk", "somebody", Instant.EPOCH)))
        .endsWith("open it with force to take it over (--force)");
    assertThat(of(new SalusException.Incomplete("start it, or plan with withoutSilent to go on")))
        .isEqualTo("start it, or give --without-silent to go on");
    assertThat(of(new SalusException.Unavailable("no answer", null))).isEqualTo("no answer");
  }
}
