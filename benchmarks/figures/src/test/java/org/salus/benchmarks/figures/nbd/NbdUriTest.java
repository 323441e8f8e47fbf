package org.salus.benchmarks.figures.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NbdUriTest {
  @TempDir Path dir;

  @Test
  void readsAddressesAndSockets() {
    assertThat(NbdUri.parse("nbd://127.0.0.1:1/x"))
        .isEqualTo(new NbdUri("nbd://127.0.0.1:1/x", new InetSocketAddress("127.0.0.1", 1), "x"));
    assertThat(NbdUri.parse("nbd://[::1]/").address())
        .isEqualTo(new InetSocketAddress("::1", 10_809));
    assertThat(NbdUri.parse("nbd+unix:///x?socket=/run/s").address())
        .isEqualTo(UnixDomainSocketAddress.of("/run/s"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "http://h/x",
        "nbd:",
        "nbd:///x",
        "nbd+unix:///x",
        "nbd://h:99999/x",
        "nbd://a b/x"
      })
  void refusesWhatIsNoExport(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NbdUri.parse(text))
        .withMessageContaining("nbd://HOST:PORT/NAME");
  }

  @Test
  void asksAServerForTheSizeAndTellsWhatIsMissing() throws Exception {
    assertThat(QemuNbd.isInstalled())
        .as("qemu-nbd: install the Debian package qemu-utils")
        .isTrue();
    NbdUri uri;
    try (QemuNbd server = QemuNbd.start(dir, 5 << 20)) {
      uri = server.uri();
      assertThat(uri.size()).isEqualTo(5 << 20);
      assertThatThrownBy(() -> NbdUri.parse(uri.text() + "-other").size())
          .hasMessageContaining("no export 'file-other'");
    }
    assertThatThrownBy(uri::size)
        .hasMessageContaining("is it served?")
        .hasMessageNotContaining("\n");
    assertThat(dir.resolve("qemu-nbd.raw")).doesNotExist();
  }
}
