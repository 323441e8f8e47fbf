package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.salus.core.Signer;

/**
 * A running server.
 *
 * @param port its data port
 * @param dataNode its DataNode as {@code ip:port}
 * @param startCode when it started (ms, or any growing code)
 * @param proof of the cluster's secret, see {@link #proof}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerRecord(String host, int port, String dataNode, long startCode, String proof) {
  private static final ByteBuffer SIGNED = StandardCharsets.US_ASCII.encode("salus.secret");

  /** What the server of this name shows of its secret, so that others can tell whether theirs is the same. */
  public static String proof(byte[] secret, String node) {
    return HexFormat.of().formatHex(new Signer(secret).sign("server/" + node, SIGNED));
  }

  /** Those of the servers that have another secret than this, sorted as they come. */
  public static List<String> foreign(Map<String, ServerRecord> servers, byte[] secret) {
    return servers.entrySet().stream().filter(s -> !proof(secret, s.getKey()).equals(s.getValue().proof())).map(Map.Entry::getKey).toList();
  }
}
