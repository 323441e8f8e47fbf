package org.salus.host.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection, accepted or outgoing. All methods may be called from any thread; frames sent by
 * one thread keep their order.
 */
public final class FrameConnection {
  private final Loop loop;
  private final Channel channel;
  private final FrameStats stats;
  private final int maxFrame;
  private final long maxQueued;
  private final String peer;
  private final InetAddress host;
  private final Queue<OutboundFrame> outbound = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean drainScheduled = new AtomicBoolean();
  private final AtomicLong queuedBytes = new AtomicLong();
  private volatile Object attachment;
  private boolean draining;

  /** Bytes of the frames that are written whole. */
  private long written;

  private FrameInbound inbound;

  FrameConnection(Loop loop, Channel channel, FrameStats stats, FrameOptions options) {
    this.loop = loop;
    this.channel = channel;
    this.stats = stats;
    this.maxFrame = options.maxFrame();
    this.maxQueued = options.maxQueued();
    this.peer = String.valueOf(channel.remoteAddress());
    this.host = channel.remoteAddress() instanceof InetSocketAddress at ? at.getAddress() : null;
  }

  /**
   * Sends a frame of the buffers' remaining bytes. Their positions stay. The bytes must not change
   * until {@code whenWritten} runs. It runs exactly once: when the bytes are written, or when it is
   * certain that they will not be. It runs on the connection's loop, or on the calling thread when
   * that loop has been stopped or too much waits already: such a frame is dropped.
   *
   * @param payloadOrNull the payload; a direct buffer is sent without a copy
   * @param whenWritten may be null
   * @throws IllegalArgumentException when the frame is longer than the connection's limit
   */
  public void send(ByteBuffer head, ByteBuffer payloadOrNull, Runnable whenWritten) {
    send(new OutboundFrame(head, payloadOrNull, whenWritten));
  }

  void send(OutboundFrame frame) {
    requireFits(frame, maxFrame);
    if (queuedBytes.addAndGet(frame.bodyBytes()) > maxQueued) {
      stats.dropped.increment();
      finish(frame);
      return;
    }
    outbound.add(frame);
    scheduleDrain();
  }

  static void requireFits(OutboundFrame frame, int maxFrame) {
    if (frame.bodyBytes() > maxFrame) {
      throw new IllegalArgumentException(
          "a frame of " + frame.bodyBytes() + " bytes is over the limit of " + maxFrame);
    }
  }

  /** Bytes of heads and payloads given to {@code send} and not yet written. */
  public long queuedBytes() {
    return queuedBytes.get();
  }

  /**
   * Stops delivering frames, and soon stops reading from the socket. Takes effect at once when
   * called on the loop.
   */
  public void pauseReading() {
    onLoop(() -> inbound.pause());
  }

  /** Ends {@link #pauseReading}. */
  public void resumeReading() {
    onLoop(() -> inbound.resume());
  }

  /** Closes the connection. Drops frames that are not yet written. */
  public void close() {
    channel.close();
  }

  /** False once the connection is closed. */
  public boolean isOpen() {
    return channel.isActive();
  }

  /** The loop on which the handler is called. */
  public Loop loop() {
    return loop;
  }

  /** The peer's address, for log lines. */
  public String peer() {
    return peer;
  }

  /** The peer's host; empty when the connection was closed before it was known. */
  public Optional<InetAddress> host() {
    return Optional.ofNullable(host);
  }

  /** Keeps one object of the owner with the connection. */
  public void attach(Object object) {
    attachment = object;
  }

  /** The object that {@link #attach} kept, or null. */
  public Object attachment() {
    return attachment;
  }

  @Override
  public String toString() {
    return peer;
  }

  void inbound(FrameInbound handler) {
    this.inbound = handler;
  }

  private void onLoop(Runnable action) {
    if (loop.inLoop()) {
      action.run();
    } else {
      loop.execute(action);
    }
  }

  /**
   * Schedules one drain for each turn of the loop, so that all frames queued by then share its
   * flush.
   */
  private void scheduleDrain() {
    if (drainScheduled.compareAndSet(false, true)) {
      try {
        loop.execute(
            () -> {
              drainScheduled.set(false);
              drain();
            });
      } catch (RejectedExecutionException stopped) {
        drainScheduled.set(false);
        dropAll();
      }
    }
  }

  /**
   * Writes as many frames as the channel takes. The rest waits here, so that it costs no off-heap
   * memory.
   */
  void drain() {
    if (draining) {
      return; // called from within itself: a flush below made the channel writable again
    }
    draining = true;
    try {
      while (channel.isActive() && !outbound.isEmpty() && channel.isWritable()) {
        while (channel.isWritable() && !outbound.isEmpty()) {
          write(outbound.poll());
        }
        channel.flush();
      }
    } finally {
      draining = false;
    }
    if (!channel.isActive()) {
      dropAll();
    }
  }

  private void write(OutboundFrame frame) {
    channel.write(Unpooled.wrappedBuffer(frame.header, frame.head), channel.voidPromise());
    channel
        .write(Unpooled.wrappedBuffer(frame.payload))
        .addListener(
            done -> {
              if (done.isSuccess()) {
                stats.sent.increment();
              }
              written += frame.bodyBytes();
              loop.guarded(() -> finish(frame));
            });
  }

  void dropAll() {
    for (OutboundFrame frame = outbound.poll(); frame != null; frame = outbound.poll()) {
      finish(frame);
    }
  }

  /** Changes whenever the operating system takes bytes. To be called on the loop. */
  long progress() {
    ChannelOutboundBuffer writing = channel.unsafe().outboundBuffer();
    return written + (writing == null ? 0 : writing.currentProgress());
  }

  private void finish(OutboundFrame frame) {
    queuedBytes.addAndGet(-frame.bodyBytes());
    frame.release();
  }
}
