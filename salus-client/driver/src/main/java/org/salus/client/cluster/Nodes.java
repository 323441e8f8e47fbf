package org.salus.client.cluster;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.salus.core.Endpoint;
import org.salus.core.message.Envelope;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;
import org.salus.host.OncePerSecond;
import org.salus.host.Seals;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameHandler;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.Loops;
import org.salus.host.netty.Peers;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections to all servers, shared by everything that a client has open. Thread-safe. */
public final class Nodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);

  /** Takes what members send to one session, on the loop of the connection that it came over. */
  public interface Receiver {
    /**
     * @param node the server that sent it, whatever {@code from} claims
     */
    void receive(String node, Endpoint.Member from, Message message, ByteBuffer payload);
  }

  private final OncePerSecond warnings = new OncePerSecond(System::nanoTime);
  private final Map<Endpoint, Receiver> receivers = new ConcurrentHashMap<>();
  private final ServerDirectory servers;
  private final Seals seals;
  private final Peers peers;

  public Nodes(ClusterStore store, Loops loops, byte[] secret) {
    seals = new Seals(secret);
    servers = ServerDirectory.watch(store, now -> {});
    FrameHandler handler =
        new FrameHandler() {
          @Override
          public void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {
            deliver(connection, head, payload);
          }
        };
    peers = new Peers(loops, servers::address, handler, FrameOptions.DEFAULT, Peers.Retry.DEFAULT);
  }

  private void deliver(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {
    try {
      Envelope e = seals.open(head);
      Receiver to = receivers.get(e.to());
      if (to != null && e.from() instanceof Endpoint.Member from) {
        to.receive((String) connection.attachment(), from, e.message(), payload);
      }
    } catch (ForgedException forged) {
      warn("dropping a message that came from {}: {}{}", connection, forged);
    } catch (MalformedException garbage) {
      warn(
          "closing the connection to {}, which sent something that is no message: {}{}",
          connection,
          garbage);
      connection.close();
    }
  }

  private void warn(String text, FrameConnection connection, Exception why) {
    warnings.log(others -> LOG.warn(text, connection.attachment(), why.getMessage(), others));
  }

  public void register(Endpoint self, Receiver receiver) {
    receivers.put(self, receiver);
  }

  public void unregister(Endpoint self) {
    receivers.remove(self);
  }

  /** Sends or loses a message; {@code payload} may be null. */
  public void send(String node, Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    peers.send(node, seals.head(from, to, message), payload, null);
  }

  @Override
  public void close() {
    peers.close();
    servers.close();
  }
}
