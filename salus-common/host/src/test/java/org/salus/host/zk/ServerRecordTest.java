package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerRecordTest {
  private static final byte[] SECRET = {1};
  private static final ServerRecord OURS =
      ServerRecord.of("a:1", "127.0.0.1", 7, "127.0.0.1:9866", 5, SECRET);

  private static ServerRecord record(
      String host, int port, String dataNode, long startCode, int messages) {
    return new ServerRecord(host, port, dataNode, startCode, messages, OURS.proof());
  }

  @Test
  void noFieldOfAServersRegistrationCanBeChanged() {
    String host = OURS.host();
    String dataNode = OURS.dataNode();
    int messages = OURS.messages();
    Map<String, ServerRecord> changes = new LinkedHashMap<>();
    changes.put("host", record("127.0.0.2", 7, dataNode, 5, messages));
    changes.put("port", record(host, 8, dataNode, 5, messages));
    changes.put("dataNode", record(host, 7, "127.0.0.1:9867", 5, messages));
    changes.put("startCode", record(host, 7, dataNode, 6, messages));
    changes.put("messages", record(host, 7, dataNode, 5, messages + 1));
    changes.put("proof", new ServerRecord(host, 7, dataNode, 5, messages, "0"));
    assertThat(changes).hasSize(ServerRecord.class.getRecordComponents().length);

    assertThat(OURS.isSigned("a:1", SECRET)).isTrue();
    changes.forEach(
        (field, other) -> assertThat(other.isSigned("a:1", SECRET)).as(field).isFalse());
    assertThat(OURS.isSigned("b:1", SECRET)).as("another server's").isFalse();
    assertThat(OURS.isSigned("a:1", new byte[] {2})).as("another secret's").isFalse();
  }
}
