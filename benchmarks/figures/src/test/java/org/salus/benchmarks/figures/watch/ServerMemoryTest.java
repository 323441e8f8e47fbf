package org.salus.benchmarks.figures.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ServerMemoryTest {
  private static final String SERIAL =
      """
      4711:
       def new generation   total 78656K, used 1399K [0x00000000c0000000, 0x00000000c5550000, 0x00000000d5550000)
        eden space 69952K,   2% used [0x00000000c0000000, 0x00000000c015dd60, 0x00000000c4450000)
        from space 8704K,   0% used [0x00000000c4450000, 0x00000000c4450000, 0x00000000c4cd0000)
        to   space 8704K,   0% used [0x00000000c4cd0000, 0x00000000c4cd0000, 0x00000000c5550000)
       tenured generation   total 174784K, used 1000K [0x00000000d5550000, 0x00000000e0000000, 0x0000000100000000)
         the space 174784K,   0% used [0x00000000d5550000, 0x00000000d564a000, 0x00000000d564a000, 0x00000000e0000000)
       Metaspace       used 6000K, committed 6272K, reserved 1114112K
        class space    used 600K, committed 704K, reserved 1048576K
      """;

  @Test
  void allGenerationsCountAndNothingElse() throws IOException {
    assertThat(ServerMemory.parse(SERIAL, 5))
        .isEqualTo(new ServerMemory(2399L << 10, (78656L + 174784) << 10, 5));
  }

  @Test
  void whatIsNotUnderstoodIsNotZero() {
    assertThatThrownBy(() -> ServerMemory.parse("4711:\nno such process\n", 5))
        .hasMessageContaining("no such process");
  }

  @Test
  void aProcessHasHadMemory() throws IOException {
    assertThat(ServerMemory.mostResident(ProcessHandle.current())).isGreaterThan(1 << 20);
  }
}
