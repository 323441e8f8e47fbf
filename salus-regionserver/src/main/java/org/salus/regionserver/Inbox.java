package org.salus.regionserver;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.message.Envelope;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;
import org.salus.host.OncePerSecond;
import org.salus.host.Seals;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the frames that arrive at this server. It hands messages to members, and questions to
 * {@link Questions}. Answers to a session go out on the connection that last brought a sealed frame
 * of it. What exceeds a connection's {@link Intake} is lost, as any message may be: whoever needs
 * it sends it again. Thread-safe.
 */
final class Inbox implements FrameHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

  /** Bytes that a message costs beside its payload, about. */
  private static final long MESSAGE_BYTES = 512;

  private final OncePerSecond warnings = new OncePerSecond(System::nanoTime);
  private final Questions questions;
  private final Seals seals;
  private final Map<Endpoint.Member, MemberHost> members = new ConcurrentHashMap<>();
  private final Map<Endpoint, FrameConnection> sessions = new ConcurrentHashMap<>();
  private final Map<FrameConnection, Intake> intakes = new ConcurrentHashMap<>();

  /** Takes the questions to the server itself, not to a member. */
  interface Questions {
    /**
     * Answers later, on any thread. A repeated question is dropped while the first one is not
     * answered yet.
     *
     * @param host from which the question came
     * @return whether there will be an answer
     */
    boolean ask(
        InetAddress host,
        Endpoint.Session from,
        Endpoint.Member about,
        Message question,
        Consumer<Message> answer);
  }

  /**
   * @param seals open what arrives and seal the answers
   */
  Inbox(Questions questions, Seals seals) {
    this.questions = questions;
    this.seals = seals;
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

  /** Hands on what came on a connection, unless members have too much of it already. */
  private void deliver(Envelope e, Endpoint.Member to, ByteBuffer payload, Intake intake) {
    MemberHost host = members.get(to);
    long bytes = MESSAGE_BYTES + payload.remaining();
    if (host != null && intake.mayHold(bytes)) {
      host.deliver(
          e.from(),
          e.message(),
          payload.hasRemaining() ? payload : null,
          () -> intake.taken(bytes));
    }
  }

  private void ask(
      InetAddress host,
      Endpoint.Session asking,
      Endpoint.Member about,
      Message question,
      Intake intake) {
    if (intake.mayAsk()
        && !questions.ask(
            host,
            asking,
            about,
            question,
            reply -> {
              intake.answered();
              answer(about, asking, reply, null);
            })) {
      intake.answered();
    }
  }

  /**
   * Sends the answers to a session to this connection from now on. A message without a seal may be
   * anybody's: it takes the answers from no other connection.
   */
  private void note(
      Endpoint.Session session, boolean sealed, FrameConnection connection, Intake intake) {
    FrameConnection before =
        sealed ? sessions.put(session, connection) : sessions.putIfAbsent(session, connection);
    if (sealed ? before != connection : before == null) {
      Endpoint.Session first = intake.note(session);
      if (first != null) {
        sessions.remove(first, connection);
      }
    }
  }

  /** Sends a message to a session; it is lost when the session's connection is gone. */
  void answer(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    FrameConnection connection = sessions.get(to);
    if (connection != null) {
      connection.send(seals.head(from, to, message), payload, null);
    }
  }

  /** Whether an answer to this session would find a connection. */
  boolean reaches(Endpoint.Session session) {
    return sessions.containsKey(session);
  }

  /** The number of connections that have brought a frame and are open. */
  int connections() {
    return intakes.size();
  }

  /** The bytes of messages that members have not taken yet. */
  long heldBytes() {
    return intakes.values().stream().mapToLong(Intake::bytes).sum();
  }

  /** The number of sessions whose answers have a connection. */
  int sessions() {
    return sessions.size();
  }

  @Override
  public void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {
    Intake intake = intakes.computeIfAbsent(connection, c -> new Intake());
    try {
      Envelope e = seals.open(head);
      if (e.from() instanceof Endpoint.Session s) {
        note(s, e.message().proof() == Message.Proof.SEAL, connection, intake);
      }
      if (e.message() instanceof Message.InventoryQuery
          || e.message() instanceof Message.HoldingsQuery) {
        if (e.from() instanceof Endpoint.Session asking
            && e.to() instanceof Endpoint.Member about) {
          connection.host().ifPresent(host -> ask(host, asking, about, e.message(), intake));
        }
      } else if (!(e.message() instanceof Message.Hello) && e.to() instanceof Endpoint.Member to) {
        deliver(e, to, payload, intake);
      }
    } catch (ForgedException forged) {
      warn("dropping a message that came from {}: {}{}", connection, forged);
    } catch (MalformedException garbage) {
      warn(
          "closing the connection to {}, which sent something else than a message: {}{}",
          connection,
          garbage);
      connection.close();
    }
  }

  private void warn(String text, FrameConnection connection, Exception why) {
    warnings.log(others -> LOG.warn(text, connection, why.getMessage(), others));
  }

  @Override
  public void onClosed(FrameConnection connection) {
    sessions.values().removeIf(c -> c == connection);
    intakes.remove(connection);
  }
}
