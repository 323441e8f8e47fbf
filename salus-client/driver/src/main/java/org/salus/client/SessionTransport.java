package org.salus.client;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;
import org.salus.host.zk.RrsRecord;

/** One session's way to the members of its volume. Messages may be lost. Thread-safe. */
interface SessionTransport extends AutoCloseable {
  /** Hears of the members, on any thread. */
  interface Listener {
    /**
     * A message has arrived.
     *
     * @param from whose it is for certain: it came from this member's server
     * @param payload may be null
     */
    void received(Endpoint.Member from, Message message, ByteBuffer payload);

    /** A region has this record now. */
    void changed(int region, RrsRecord rrs);
  }

  /** Begins to listen; to be called once, before anything else. */
  void open(Listener listener);

  /** Says hello to all servers: members answer on the connection on which they last heard of it. */
  void greet();

  /** Sends or loses a message; {@code payload} may be null. */
  void send(Endpoint.Member to, Message message, ByteBuffer payload);

  /** The server that acts in a lane of a region, or null while none is known. */
  String node(int region, int lane);

  /** What keeps the members from answering, in words. */
  String waitsFor();

  /** Listens no more. */
  @Override
  void close();
}
