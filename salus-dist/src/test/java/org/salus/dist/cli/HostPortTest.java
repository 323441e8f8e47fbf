package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @Test
  void readsNamesAndAddresses() {
    assertThat(HostPort.parse("127.0.0.1:10809")).isEqualTo(new HostPort("127.0.0.1", 10809));
    assertThat(HostPort.parse("localhost:0").address().getAddress().isLoopbackAddress()).isTrue();
    assertThat(HostPort.parse("[::1]:1")).hasToString("[::1]:1");
    assertThat(HostPort.parse("[::1]:1").address().getAddress().isLoopbackAddress()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "x:", ":1", "x:65536", "x:-1", "x:y", "::1:10809", "x/y:1", "x:1:2"})
  void refusesWhatIsNoAddress(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HostPort.parse(text))
        .withMessageContaining("HOST:PORT");
  }

  @Test
  void tellsThatAPortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HostPort address = new HostPort("127.0.0.1", taken.getLocalPort());
      assertThatThrownBy(() -> address.requireFree("--listen"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(address.toString())
          .hasMessageContaining("with --listen");
    }
  }
}
