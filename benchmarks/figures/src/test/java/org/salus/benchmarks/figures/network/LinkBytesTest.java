package org.salus.benchmarks.figures.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class LinkBytesTest {
  @Test
  void eachLinkHasWhatItReceivedAndWhatItSent() {
    LinkBytes links =
        LinkBytes.parse(
            """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
         from0: 19815604    2208    0    0    0     0          0         0      930      11    0    0    0     0       0          0
           to1:516       6    0    0    0     0          0         0 19818050    2237    0    0    0     0       0          0
        """);
    assertThat(links.received()).isEqualTo(Map.of("lo", 0L, "from0", 19_815_604L, "to1", 516L));
    assertThat(links.sent()).isEqualTo(Map.of("lo", 0L, "from0", 930L, "to1", 19_818_050L));
  }
}
