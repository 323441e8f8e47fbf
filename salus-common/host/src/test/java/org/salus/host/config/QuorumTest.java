package org.salus.host.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuorumTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:2181", "[::1]:2181", "a:1,127.0.0.1:2", "localhost:2/x/y"})
  void readsServers(String text) {
    assertThatCode(() -> Quorum.parse(text)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2181",
        "127.0.0.1",
        "[::1]",
        "a:1,b",
        "host:",
        "host:abc",
        "host:0",
        "host:65536",
        "host:-1",
        "a:1,,b:1",
        "a b:1",
        "::1:2"
      })
  void refusesWhatIsNoAddressWithOneLine(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Quorum.parse(text))
        .withMessageContaining("write HOST:PORT[,...]")
        .withMessageNotContaining("\n");
  }

  @Test
  void oneKnownHostIsEnough() {
    assertThatCode(() -> Quorum.parse("nohost.invalid:1,127.0.0.1:2").requireKnown("--zookeeper"))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () -> Quorum.parse("nohost.invalid:1,other.invalid:2").requireKnown("--zookeeper"))
        .isInstanceOf(IOException.class)
        .hasMessage("unknown host nohost.invalid, other.invalid; check --zookeeper");
  }
}
