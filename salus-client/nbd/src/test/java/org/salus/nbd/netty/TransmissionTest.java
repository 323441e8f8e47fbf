package org.salus.nbd.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.Volume;
import org.salus.nbd.Nbd;
import org.salus.nbd.Request;

/** What a request counts while it is under way. */
class TransmissionTest {
  private static final int BLOCK = 256 << 10;

  private final Volume volume =
      (Volume)
          Proxy.newProxyInstance(
              Volume.class.getClassLoader(),
              new Class<?>[] {Volume.class},
              (self, method, arguments) -> BLOCK);
  private final Transmission transmission =
      new Transmission(null, volume, false, false, null, () -> {});

  private long weight(long offset, int length) {
    return transmission.weight(new Request(0, Nbd.CMD_WRITE, 1, offset, length));
  }

  @Test
  void aSmallWriteCountsTheBlocksThatTheVolumeCopiesItInto() {
    assertThat(weight(4096, 4096)).isGreaterThan(3 * BLOCK);
    assertThat(weight(BLOCK - 512, 1024)).isGreaterThan(4 * BLOCK);
    assertThat(weight(BLOCK, 2 * BLOCK)).isBetween(2L * BLOCK, 2L * BLOCK + 4096);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1, -BLOCK})
  void aWriteThatWillBeRefusedCountsWhatItIs(long offset) {
    assertThat(weight(offset, Nbd.MAX_PAYLOAD))
        .isBetween((long) Nbd.MAX_PAYLOAD, Nbd.MAX_PAYLOAD + 4L * BLOCK);
  }
}
