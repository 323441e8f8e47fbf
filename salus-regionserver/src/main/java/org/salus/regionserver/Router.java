package org.salus.regionserver;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.salus.core.Endpoint;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameHandler;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.Loops;
import org.salus.host.netty.Peers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries messages between the members on this server, other servers and sessions. A session is
 * answered on the connection on which it was last heard. Thread-safe.
 */
final class Router implements FrameHandler, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Router.class);

  private final String node;
  private final Function<Endpoint.Member, String> nodeOf;
  private final Questions questions;
  private final Peers peers;
  private final Map<Endpoint.Member, MemberHost> members = new ConcurrentHashMap<>();
  private final Map<Endpoint, FrameConnection> sessions = new ConcurrentHashMap<>();

  /** Takes what is asked of the server, not of a member. */
  interface Questions {
    /** Answers with {@link #send}, some time. */
    void ask(Endpoint.Session from, Endpoint.Member about, Message question);
  }

  /**
   * @param node this server
   * @param nodeOf the server of a member, or null while unknown
   * @param addresses the data port of a server, or null while unknown
   */
  Router(
      String node,
      Loops loops,
      Function<Endpoint.Member, String> nodeOf,
      Function<String, InetSocketAddress> addresses,
      Questions questions) {
    this.node = node;
    this.nodeOf = nodeOf;
    this.questions = questions;
    this.peers = new Peers(loops, addresses, this, FrameOptions.DEFAULT, Peers.Retry.DEFAULT);
  }

  void add(Endpoint.Member self, MemberHost host) {
    members.put(self, host);
  }

  void remove(Endpoint.Member self, MemberHost host) {
    members.remove(self, host);
  }

  /** Sends or loses a message; {@code payload} may be null and must not change any more. */
  void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    if (to instanceof Endpoint.Member m) {
      String at = nodeOf.apply(m);
      if (node.equals(at)) {
        deliver(from, m, message, payload);
      } else if (at != null) {
        peers.send(at, head(from, to, message), payload, null);
      }
    } else {
      FrameConnection connection = sessions.get(to);
      if (connection != null) {
        connection.send(head(from, to, message), payload, null);
      }
    }
  }

  private static ByteBuffer head(Endpoint from, Endpoint to, Message message) {
    return ByteBuffer.wrap(new Envelope(from, to, message).encode());
  }

  private void deliver(Endpoint from, Endpoint.Member to, Message message, ByteBuffer payload) {
    MemberHost host = members.get(to);
    if (host != null) {
      host.deliver(from, message, payload);
    }
  }

  @Override
  public void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {
    try {
      Envelope e = Envelope.decode(head);
      if (e.from() instanceof Endpoint.Session s) {
        sessions.put(s, connection);
      }
      if (e.message() instanceof Message.InventoryQuery
          || e.message() instanceof Message.HoldingsQuery) {
        if (e.from() instanceof Endpoint.Session asking
            && e.to() instanceof Endpoint.Member about) {
          questions.ask(asking, about, e.message());
        }
      } else if (!(e.message() instanceof Message.Hello) && e.to() instanceof Endpoint.Member to) {
        deliver(
            e.from(), to, e.message(), payload != null && payload.hasRemaining() ? payload : null);
      }
    } catch (MalformedException garbage) {
      LOG.warn(
          "closing the connection to {}, which sent no message: {}",
          connection,
          garbage.getMessage());
      connection.close();
    }
  }

  @Override
  public void onClosed(FrameConnection connection) {
    sessions.values().removeIf(c -> c == connection);
  }

  @Override
  public void close() {
    peers.close();
  }
}
