package org.salus.client.cluster;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;
import org.salus.core.replacement.RrsRecord;

/**
 * Carries messages between one session and the members of its volume. Messages may be lost.
 * Thread-safe.
 */
public interface SessionTransport extends AutoCloseable {
  /** Told what members send and which records change, on any thread. */
  interface Listener {
    /**
     * A message has arrived.
     *
     * @param from the member whose server certainly sent it
     * @param payload may be null
     */
    void received(Endpoint.Member from, Message message, ByteBuffer payload);

    /** A region's record has changed to {@code rrs}. */
    void changed(int region, RrsRecord rrs);
  }

  /** Begins to listen. Must be called once, before anything else. */
  void open(Listener listener);

  /**
   * Greets all servers. Members answer on the connection over which the session last greeted them.
   */
  void greet();

  /** Sends or loses a message; {@code payload} may be null. */
  void send(Endpoint.Member to, Message message, ByteBuffer payload);

  /** The server of the member that acts in a lane of a region; null while it is unknown. */
  String node(int region, int lane);

  /**
   * Describes what keeps the members from answering.
   *
   * @param answering whether they have just answered other requests
   */
  String waitsFor(boolean answering);

  /** Stops listening. */
  @Override
  void close();
}
