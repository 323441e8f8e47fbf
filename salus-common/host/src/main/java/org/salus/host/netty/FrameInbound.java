package org.salus.host.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only Netty handler of a connection. Reads frames, hands them to the owner, and closes a
 * connection whose peer is silent. An empty frame is a heartbeat and is not delivered. Runs on the
 * connection's loop only.
 */
final class FrameInbound extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(FrameInbound.class);
  private static final ByteBuffer HEARTBEAT =
      new OutboundFrame(ByteBuffer.allocate(0), null, null).header;

  private final Loops loops;
  private final FrameHandler owner;
  private final FrameOptions options;
  private final FrameReader reader;
  private final Queue<ByteBuf> unread = new ArrayDeque<>();
  private ChannelHandlerContext context;
  private FrameConnection connection;
  private Loop.Timer ticker;
  private boolean paused;
  private boolean delivering;
  private boolean closed;
  private int silentTicks;
  private int stuckTicks;

  /** The connection's progress in writing at the last tick. */
  private long progress;

  /**
   * @param unfinished counts what has come of frames that are not whole
   */
  FrameInbound(Loops loops, FrameHandler owner, FrameOptions options, Unfinished unfinished) {
    this.loops = loops;
    this.owner = owner;
    this.options = options;
    this.reader = new FrameReader(options.maxFrame(), unfinished, this::evict);
  }

  FrameConnection connection() {
    return connection;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    Loop loop = loops.of(ctx.channel().eventLoop());
    connection = new FrameConnection(loop, ctx.channel(), loops.stats(), options);
    connection.inbound(this);
    ticker = loop.scheduleEvery(options.heartbeat(), this::tick);
    owned("opening a connection", () -> owner.onOpen(connection));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    silentTicks = 0;
    unread.add((ByteBuf) message);
    deliver();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (connection != null && ctx.channel().isWritable()) {
      connection.drain();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed = true;
    releaseUnread();
    reader.close();
    if (connection != null) {
      ticker.cancel();
      loops.of(ctx.channel().eventLoop()).guarded(connection::dropAll);
      owned("closing a connection", () -> owner.onClosed(connection));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("connection with {} lost: {}", connection, cause.toString());
    } else {
      loops.faults().onFault("reading from " + connection, cause);
    }
    ctx.close();
  }

  void pause() {
    paused = true;
    context.channel().config().setAutoRead(false);
  }

  void resume() {
    paused = false;
    silentTicks = 0;
    deliver();
    if (!paused) {
      context.channel().config().setAutoRead(true);
    }
  }

  private void deliver() {
    if (delivering) {
      return; // called from within itself, by a handler that resumed: the loop below goes on
    }
    delivering = true;
    try {
      while (!paused && !closed && !unread.isEmpty()) {
        if (!readFrame(unread.peek())) {
          ReferenceCountUtil.release(unread.poll());
        }
      }
    } catch (FrameReader.BadFrameException bad) {
      refuse(bad);
    } finally {
      delivering = false;
    }
    if (closed) {
      releaseUnread();
    }
  }

  private boolean readFrame(ByteBuf in) throws FrameReader.BadFrameException {
    if (!reader.read(in)) {
      return false;
    }
    ByteBuffer head = reader.head();
    ByteBuffer payload = reader.payload();
    reader.next();
    if (head.hasRemaining() || payload.hasRemaining()) {
      loops.stats().received.increment();
      owned("handling a frame", () -> owner.onFrame(connection, head, payload));
    }
    return true;
  }

  /** Runs on any thread. */
  private void evict() {
    LOG.warn("closing the connection with {}: its frame takes longest of too many", connection);
    context.close();
  }

  private void refuse(FrameReader.BadFrameException bad) {
    (bad.wrongLength ? loops.stats().wrongLength : loops.stats().damaged).increment();
    loops
        .refusals()
        .log(
            others ->
                LOG.warn(
                    "closing the connection with {}: {}{}", connection, bad.getMessage(), others));
    closed = true;
    context.close();
  }

  private void tick() {
    // While reading is paused, the peer's silence means nothing.
    if (!paused && ++silentTicks > options.silentTicks()) {
      giveUp("was silent");
    } else if (isStuck()) {
      giveUp("took nothing of what was sent to it");
    } else if (connection.queuedBytes() == 0) {
      context.writeAndFlush(Unpooled.wrappedBuffer(HEARTBEAT.duplicate()), context.voidPromise());
    }
  }

  private void giveUp(String why) {
    loops.stats().silent.increment();
    LOG.warn(
        "closing the connection with {}: it {} for {} ms",
        connection,
        why,
        options.silence().toMillis());
    context.close();
  }

  /** Whether something waits to be written, and the peer has long read nothing. */
  private boolean isStuck() {
    long now = connection.progress();
    stuckTicks = connection.queuedBytes() == 0 || now != progress ? 0 : stuckTicks + 1;
    progress = now;
    return stuckTicks > options.silentTicks();
  }

  /** Calls the owner. An exception is a bug of the owner, not a fault of the peer. */
  private void owned(String what, Runnable call) {
    try {
      call.run();
    } catch (Throwable bug) {
      loops.faults().onFault(what + " with " + connection, bug);
      closed = true;
      context.close();
    }
  }

  private void releaseUnread() {
    // deliver() still uses the first buffer: it releases them when it returns.
    while (!delivering && !unread.isEmpty()) {
      ReferenceCountUtil.release(unread.poll());
    }
  }
}
