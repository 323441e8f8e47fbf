package org.salus.dist.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.data.DataDirectoryException.Reason;

class DataDirectoryTest {
  @TempDir Path temp;

  @Test
  void isHeldByOneUntilClosed() throws IOException {
    DataDirectory first = DataDirectory.open(temp.resolve("new/data"));
    refused(
        Reason.LOCKED,
        "in use by another process",
        () -> DataDirectory.open(temp.resolve("new/data")));
    first.close();
    DataDirectory.open(temp.resolve("new/data")).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "donn\u00e9es", "a,b", "50%", "a%20b", "[DISK]", "${user}", "a;b"})
  void aPathThatHdfsWouldReadOtherwiseIsRefusedAndNotMade(String name) throws IOException {
    refused(
        Reason.ODD_NAME,
        "choose a path of letters",
        () -> DataDirectory.open(temp.resolve(name).resolve("data")));
    try (Stream<Path> made = Files.list(temp)) {
      assertThat(made).isEmpty();
    }
    Files.createDirectories(temp.resolve(name));
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve(name));
    DataDirectory.open(link.resolve("data")).close();
  }

  @Test
  void aNewerFormatIsLeftAlone() throws IOException {
    DataDirectory.open(temp).close();
    Files.writeString(temp.resolve("VERSION"), DataDirectory.FORMAT + 1 + "\n");
    refused(Reason.NEWER_FORMAT, "use a newer program", () -> DataDirectory.open(temp));
    assertThat(temp.resolve("VERSION")).hasContent(Integer.toString(DataDirectory.FORMAT + 1));
  }

  @Test
  void aDamagedVersionIsNotGuessed() throws IOException {
    Files.writeString(temp.resolve("VERSION"), "");
    refused(Reason.DAMAGED, "VERSION", () -> DataDirectory.open(temp));
  }

  @Test
  void aPlaceThatCannotBeWrittenIsRefused() throws IOException {
    Files.writeString(temp.resolve("file"), "x");
    refused(
        Reason.NOT_WRITABLE,
        "; choose another one",
        () -> DataDirectory.open(temp.resolve("file")));
    refused(
        Reason.NOT_WRITABLE,
        "; choose another one",
        () -> DataDirectory.open(temp.resolve("file/below")));
    refused(
        Reason.NOT_WRITABLE,
        "; choose another one",
        () -> DataDirectory.open(Path.of("/proc/salus")));
  }

  @Test
  void portsAndServersStayTheSame() throws IOException {
    int port;
    try (DataDirectory data = DataDirectory.open(temp)) {
      refused(Reason.NOT_A_CLUSTER, "--zookeeper", () -> DataDirectory.zookeeper(temp));
      port = data.zookeeperPort();
      assertThat(data.port("other", "127.0.0.1")).isNotEqualTo(port);
      data.servers(4);
      data.save();
    }
    assertThat(DataDirectory.zookeeper(temp)).isEqualTo("127.0.0.1:" + port);
    try (DataDirectory data = DataDirectory.open(temp)) {
      assertThat(data.zookeeperPort()).isEqualTo(port);
      refused(Reason.FEWER_SERVERS, "--servers 4", () -> data.servers(3));
      data.servers(5);
    }
  }

  @Test
  void aPortThatAnotherProgramTookIsNamed() throws IOException {
    try (DataDirectory data = DataDirectory.open(temp)) {
      int port = data.zookeeperPort();
      try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
        refused(Reason.PORT_TAKEN, "127.0.0.1:" + other.getLocalPort(), data::zookeeperPort);
      }
    }
  }

  private static void refused(Reason reason, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DataDirectoryException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(reason);
              assertThat(refused.getMessage()).contains(message).doesNotContain("\n");
            });
  }
}
