package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.message.MessageCodec;
import org.salus.core.wire.Encoder;

/**
 * The record of a running server. Immutable.
 *
 * @param host the name or address of its machine
 * @param port its data port
 * @param dataNode its DataNode as {@code ip:port}
 * @param startCode a number that grows with every start, such as the start's time in ms
 * @param messages the {@link MessageCodec#FORMAT} that it speaks
 * @param proof the server's signature over everything else. It shows others whether the server has
 *     the same secret as they, without the secret itself
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerRecord(
    String host, int port, String dataNode, long startCode, int messages, String proof) {
  /**
   * Reads a registration. Returns null for what is none: anybody may have written it.
   *
   * @throws IOException if it cannot be read at all
   */
  static ServerRecord parse(byte[] json) throws IOException {
    try {
      ServerRecord read = ClusterNodes.parse(json, ServerRecord.class);
      return read != null && read.isWhole() ? read : null;
    } catch (JsonProcessingException junk) {
      return null;
    }
  }

  private boolean isWhole() {
    return host != null
        && proof != null
        && dataNode != null
        && dataNode.matches(".+:\\d{1,5}")
        && Integer.parseInt(dataNode.substring(dataNode.lastIndexOf(':') + 1)) < 1 << 16;
  }

  /** The record of a server that runs this program. */
  public static ServerRecord of(
      String node, String host, int port, String dataNode, long startCode, byte[] secret) {
    ServerRecord bare = new ServerRecord(host, port, dataNode, startCode, MessageCodec.FORMAT, "");
    return new ServerRecord(
        host, port, dataNode, startCode, MessageCodec.FORMAT, bare.signature(node, secret));
  }

  /**
   * Whether a server with this secret has registered itself under this name, with all that is said
   * here. Anybody may write into ZooKeeper.
   */
  public boolean isSigned(String node, byte[] secret) {
    return signature(node, secret).equals(proof);
  }

  private String signature(String node, byte[] secret) {
    Encoder content =
        new Encoder(128).string(host).i32(port).string(dataNode).i64(startCode).i32(messages);
    return HexFormat.of()
        .formatHex(new Signer(secret).sign("server/" + node, ByteBuffer.wrap(content.toBytes())));
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
          } else if (!s.isSigned(node, secret)) {
            why.put(node, Reason.OTHER_SECRET);
          }
        });
    return why;
  }
}
