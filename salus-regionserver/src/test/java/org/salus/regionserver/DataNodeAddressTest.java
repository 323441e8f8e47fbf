package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataNodeAddressTest {
  @Test
  void aNameBecomesTheAddressByWhichTheNameNodeKnowsIt() throws Exception {
    assertThat(DataNodeAddress.of("", "localhost")).isEqualTo("127.0.0.1:9866");
    assertThat(DataNodeAddress.of("localhost:9", "other")).isEqualTo("127.0.0.1:9");
    assertThat(DataNodeAddress.of("10.1.2.3:9867", "localhost")).isEqualTo("10.1.2.3:9867");
  }

  @Test
  void whatIsNoAddressIsNamed() {
    assertThatThrownBy(() -> DataNodeAddress.of("10.1.2.3", "localhost"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("salus.server.datanode is no host:port: 10.1.2.3");
    assertThatThrownBy(() -> DataNodeAddress.of("", "no-such-host.invalid"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no-such-host.invalid");
    for (String wrong : List.of("10.1.2.3:65536", "10.1.2.3:", ":9866")) {
      assertThatThrownBy(() -> DataNodeAddress.of(wrong, "localhost"))
          .hasMessageContaining("no host:port: " + wrong);
    }
    assertThatThrownBy(() -> DataNodeAddress.of("[2001:db8::1]:9866", "localhost"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no IPv4 address");
    assertThatThrownBy(() -> DataNodeAddress.of("", "127.0.1.1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/etc/hosts");
  }
}
