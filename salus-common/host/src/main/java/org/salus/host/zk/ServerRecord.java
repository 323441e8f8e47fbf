package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.message.MessageCodec;

/**
 * The record of a running server. Immutable.
 *
 * @param host the name or address of its machine
 * @param port its data port
 * @param dataNode its DataNode as {@code ip:port}
 * @param startCode a number that grows with every start, such as the start's time in ms
 * @param messages the {@link MessageCodec#FORMAT} that it speaks
 * @param proof a signature that proves which secret it has
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerRecord(
    String host, int port, String dataNode, long startCode, int messages, String proof) {
  private static final ByteBuffer SIGNED = StandardCharsets.US_ASCII.encode("salus.secret");

  /** Whether this is the registration of a server: anybody may have written it. */
  boolean isWhole() {
    return host != null
        && proof != null
        && dataNode != null
        && dataNode.matches(".+:\\d{1,5}")
        && Integer.parseInt(dataNode.substring(dataNode.lastIndexOf(':') + 1)) < 1 << 16;
  }

  /** The record of a server that runs this program. */
  public static ServerRecord of(
      String node, String host, int port, String dataNode, long startCode, byte[] secret) {
    return new ServerRecord(
        host, port, dataNode, startCode, MessageCodec.FORMAT, proof(secret, node));
  }

  /**
   * A signature that shows others whether a server has the same secret as they, without the secret
   * itself.
   */
  private static String proof(byte[] secret, String node) {
    return HexFormat.of().formatHex(new Signer(secret).sign("server/" + node, SIGNED));
  }

  /**
   * The servers with which a program with this secret cannot work, sorted, and why. The reason goes
   * on after the server's name.
   */
  public static Map<String, Reason> strangers(Map<String, ServerRecord> servers, byte[] secret) {
    Map<String, Reason> why = new TreeMap<>();
    servers.forEach(
        (node, s) -> {
          if (s.messages != MessageCodec.FORMAT) {
            why.put(node, Reason.otherMessages(s.messages, MessageCodec.FORMAT));
          } else if (!proof(secret, node).equals(s.proof)) {
            why.put(node, Reason.OTHER_SECRET);
          }
        });
    return why;
  }
}
