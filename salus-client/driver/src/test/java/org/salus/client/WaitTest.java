package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitTest {
  private static String words(String cause, List<String> awaited) {
    Instant last = Instant.parse("2026-01-02T03:04:05Z");
    return new Wait(3_999, cause, awaited, 2, 12_345, 7, last, 6).words();
  }

  @Test
  void whoWaitsSaysForWhom() {
    List<String> dataNode = List.of("10.0.0.1:9866");
    assertThat(words("CHAIN", List.of("b:1", "c:1")))
        .isEqualTo(
            "batches that wait for b:1 or c:1: 2 now, the oldest for 12 s, noted 3 s ago;"
                + " 7 slow, the last in epoch 6 at 2026-01-02T03:04:05Z");
    assertThat(words("APPEND", dataNode))
        .startsWith("batches that wait for DataNode 10.0.0.1:9866:");
    assertThat(words("OPEN", dataNode))
        .startsWith(
            "batches that wait for a log segment, which the NameNode and DataNode 10.0.0.1:9866"
                + " open:");
    assertThat(words("DISK", dataNode))
        .startsWith(
            "reads that wait for DataNode 10.0.0.1:9866, or the NameNode or another replica:");
    assertThat(words("WATERMARK", List.of())).startsWith("reads that wait for earlier writes:");
  }

  /** Anybody may have written the note. */
  @Test
  void aNoteThatNamesNobodyIsToldAllTheSame() {
    assertThat(words("CHAIN", List.of())).startsWith("batches that wait for an unknown server: ");
  }
}
