package org.salus.regionserver;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;
import org.salus.host.Seals;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.Loops;
import org.salus.host.netty.Peers;

/**
 * Carries messages from the members on this server to each other, to other servers and to sessions.
 * Thread-safe.
 */
final class Router implements AutoCloseable {
  private final String node;
  private final Function<Endpoint.Member, String> nodeOf;
  private final Inbox inbox;
  private final Seals seals;
  private final Peers peers;

  /**
   * @param node this server
   * @param nodeOf gives a member's server, or null while it is unknown
   * @param addresses gives a server's data port, or null while it is unknown
   * @param inbox takes the messages to this server, also the answers of other servers
   * @param seals seal what goes to other servers
   */
  Router(
      String node,
      Loops loops,
      Function<Endpoint.Member, String> nodeOf,
      Function<String, InetSocketAddress> addresses,
      Inbox inbox,
      Seals seals) {
    this.node = node;
    this.nodeOf = nodeOf;
    this.inbox = inbox;
    this.seals = seals;
    this.peers = new Peers(loops, addresses, inbox, FrameOptions.DEFAULT, Peers.Retry.DEFAULT);
  }

  void add(Endpoint.Member self, MemberHost host) {
    inbox.add(self, host);
  }

  void remove(Endpoint.Member self, MemberHost host) {
    inbox.remove(self, host);
  }

  /** Sends a message; it may get lost. {@code payload} may be null and must not change any more. */
  void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    if (to instanceof Endpoint.Member m) {
      String at = nodeOf.apply(m);
      if (node.equals(at)) {
        inbox.deliver(from, m, message, payload);
      } else if (at != null) {
        peers.send(at, seals.head(from, to, message), payload, null);
      }
    } else {
      inbox.answer(from, to, message, payload);
    }
  }

  /** Whether an answer to this session would find a connection. */
  boolean reaches(Endpoint.Session session) {
    return inbox.reaches(session);
  }

  @Override
  public void close() {
    peers.close();
  }
}
