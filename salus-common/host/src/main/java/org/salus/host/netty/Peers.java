package org.salus.host.netty;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Outgoing connections by node name. A connection is made when it is needed, also after a loss.
 * Frames for a node that is not connected wait, up to a limit of bytes; the others are dropped,
 * since the protocol sends again. Thread-safe.
 */
public final class Peers implements AutoCloseable {
  /**
   * Says when to give up on a node until the next send to it.
   *
   * @param attempts most failed connects in a row
   * @param firstPause the pause after the first failed connect; it doubles with each
   * @param maxPause the longest pause
   * @param queueBytes most bytes that wait for one node's connection
   */
  public record Retry(int attempts, Duration firstPause, Duration maxPause, long queueBytes) {
    /** 8 connects, pauses from 50 ms to 1 s, 8 MiB that wait. */
    public static final Retry DEFAULT =
        new Retry(8, Duration.ofMillis(50), Duration.ofSeconds(1), 8 << 20);
  }

  private final Loops loops;
  private final Function<String, InetSocketAddress> addresses;
  private final FrameHandler handler;
  private final FrameOptions options;
  private final FrameConnector connector;
  private final Retry retry;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicInteger nextLoop = new AtomicInteger();
  private volatile boolean closed;

  /**
   * Creates a cache without connections.
   *
   * @param addresses gives a node's present address, or null while unknown; called at each connect,
   *     must not block
   * @param handler gets the frames of all connections; {@link FrameConnection#attachment} is the
   *     node name
   */
  public Peers(
      Loops loops,
      Function<String, InetSocketAddress> addresses,
      FrameHandler handler,
      FrameOptions options,
      Retry retry) {
    this.loops = loops;
    this.addresses = addresses;
    this.handler = handler;
    this.options = options;
    this.connector = new FrameConnector(loops, options);
    this.retry = retry;
  }

  /**
   * Sends a frame to {@code node} as {@link FrameConnection#send} does. Connects first when needed.
   */
  public void send(String node, ByteBuffer head, ByteBuffer payloadOrNull, Runnable whenWritten) {
    OutboundFrame frame = new OutboundFrame(head, payloadOrNull, whenWritten);
    FrameConnection.requireFits(frame, options.maxFrame());
    if (closed) {
      drop(frame);
    } else {
      peers.computeIfAbsent(node, this::newPeer).send(frame);
    }
  }

  /** Bytes given to {@code send} for {@code node} and not yet written, for back-pressure. */
  public long queuedBytes(String node) {
    Peer peer = peers.get(node);
    return peer == null ? 0 : peer.queuedBytes();
  }

  /** Closes the connections and drops waiting frames. */
  @Override
  public void close() {
    closed = true;
    peers.values().forEach(Peer::close);
  }

  void drop(OutboundFrame frame) {
    loops.stats().dropped.increment();
    frame.release();
  }

  FrameHandler handler() {
    return handler;
  }

  FrameConnector connector() {
    return connector;
  }

  Retry retry() {
    return retry;
  }

  InetSocketAddress addressOf(String node) {
    return addresses.apply(node);
  }

  boolean isClosed() {
    return closed;
  }

  private Peer newPeer(String node) {
    return new Peer(
        this, node, loops.loop(Math.floorMod(nextLoop.getAndIncrement(), loops.count())));
  }
}
