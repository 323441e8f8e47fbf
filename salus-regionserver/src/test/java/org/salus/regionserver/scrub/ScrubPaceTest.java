package org.salus.regionserver.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

class ScrubPaceTest {
  private final ScrubPace pace = new ScrubPace(0);

  @Test
  void bytesReadAreCounted() throws Exception {
    pace.take(100);
    pace.take(20);
    assertThat(pace.read()).isEqualTo(120);
  }

  @Test
  void checkUnderWayIsCutShortAtTheEnd() throws Exception {
    pace.take(100);
    pace.end();
    assertThatThrownBy(() -> pace.take(1)).isInstanceOf(InterruptedIOException.class);
  }
}
