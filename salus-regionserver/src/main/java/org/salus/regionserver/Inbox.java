package org.salus.regionserver;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the frames that arrive at this server: messages go to its members, questions to whoever
 * answers them. A session is answered on the connection on which it was last heard. Thread-safe.
 */
final class Inbox implements FrameHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

  private final Questions questions;
  private final Map<Endpoint.Member, MemberHost> members = new ConcurrentHashMap<>();
  private final Map<Endpoint, FrameConnection> sessions = new ConcurrentHashMap<>();

  /** Takes what is asked of the server, not of a member. */
  interface Questions {
    /**
     * Gives the answer some time, on any thread; not when the same question of the same session is
     * still to be answered.
     */
    void ask(
        Endpoint.Session from, Endpoint.Member about, Message question, Consumer<Message> answer);
  }

  Inbox(Questions questions) {
    this.questions = questions;
  }

  void add(Endpoint.Member self, MemberHost host) {
    members.put(self, host);
  }

  void remove(Endpoint.Member self, MemberHost host) {
    members.remove(self, host);
  }

  /** Hands a message to a member on this server; it is lost when there is no such member. */
  void deliver(Endpoint from, Endpoint.Member to, Message message, ByteBuffer payload) {
    MemberHost host = members.get(to);
    if (host != null) {
      host.deliver(from, message, payload);
    }
  }

  /** Sends a message to a session; it is lost when the session's connection is gone. */
  void answer(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    FrameConnection connection = sessions.get(to);
    if (connection != null) {
      connection.send(head(from, to, message), payload, null);
    }
  }

  /** The head of a message's frame. */
  static ByteBuffer head(Endpoint from, Endpoint to, Message message) {
    return ByteBuffer.wrap(new Envelope(from, to, message).encode());
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
          questions.ask(asking, about, e.message(), reply -> answer(about, asking, reply, null));
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
}
