package org.salus.nbd.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.ByteBuffer;
import java.util.List;
import org.salus.host.metrics.Metrics;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;
import org.salus.nbd.NbdLimits;
import org.salus.nbd.NbdMeter;
import org.salus.nbd.Request;
import org.salus.nbd.option.Negotiation;
import org.salus.nbd.option.Options;
import org.salus.nbd.option.Replies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. Greets the client, takes options, then hands requests to {@link Transmission}.
 * Takes nothing more while the transmission is full, the memory that all connections share is used
 * up, or the client does not take its answers. This bounds the memory that clients can make the
 * bridge use. Runs on the connection's loop.
 */
public final class NbdHandler extends ByteToMessageDecoder implements SharedMemory.User {
  private static final Logger LOG = LoggerFactory.getLogger(NbdHandler.class);
  private static final int OPTION_HEADER = 16;
  private static final int REQUEST_HEADER = 28;
  private static final int MAX_OPTION = 1 << 16;

  /** The bytes of unsent answers at which a connection resumes and stops taking requests. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(8 << 20, 32 << 20);

  private enum Phase {
    CLIENT_FLAGS,
    OPTIONS,
    TRANSMISSION,
    CLOSED
  }

  private final Exports exports;
  private final SharedMemory memory;
  private final NbdMeter meter;

  /** Whose turn it is; null if any number of connections may use a volume. */
  private final Turns turns;

  private final Negotiation negotiation = new Negotiation();
  private Phase phase = Phase.CLIENT_FLAGS;
  private Transmission transmission;
  private ChannelHandlerContext context;

  /** Bytes to be thrown away of an option that has too much data; then the option is answered. */
  private long skip;

  private int skipped;

  /** The request whose data is awaited, or null. It has begun. */
  private Request request;

  /** Whether the next request waits for shared memory. */
  private boolean waits;

  /** Whether all that was received is taken, but for a message of which more must come. */
  private boolean starved = true;

  private boolean inputEnded;

  /** Changes with all that moves between client and server. */
  private long moved;

  private long movedBefore = -1;

  /** Serves a connection beside others, on one loop with them. */
  NbdHandler(Exports exports, SharedMemory memory, NbdMeter meter, Turns turns) {
    this.exports = exports;
    this.memory = memory;
    this.meter = meter;
    this.turns = exports.isForOneClient() ? turns : null;
    setCumulator(COMPOSITE_CUMULATOR);
  }

  /** Serves a connection that has the server for itself. */
  public NbdHandler(Exports exports) {
    this(exports, new SharedMemory(NbdLimits.ofHeap()), new NbdMeter(new Metrics()), new Turns());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    if (!memory.join(this)) {
      close(ctx, "there are too many connections");
      return;
    }
    ctx.writeAndFlush(
        ctx.alloc()
            .buffer(18)
            .writeLong(Nbd.NBDMAGIC)
            .writeLong(Nbd.IHAVEOPT)
            .writeShort(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) throws Exception {
    moved += ((ByteBuf) received).readableBytes();
    super.channelRead(ctx, received);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    for (int before = -1; in.isReadable() && in.readableBytes() != before; ) {
      if (!waits && !takesMore(ctx)) {
        starved = false;
        return;
      }
      before = in.readableBytes();
      switch (phase) {
        case CLIENT_FLAGS -> clientFlags(ctx, in);
        case OPTIONS -> option(ctx, in);
        case TRANSMISSION -> request(ctx, in);
        default -> in.skipBytes(in.readableBytes());
      }
    }
    starved = !waits;
  }

  /** The data of a request that has begun is always taken: there is memory for it. */
  private boolean takesMore(ChannelHandlerContext ctx) {
    return request != null
        || phase == Phase.CLOSED
        || !waits
            && ctx.channel().isWritable()
            && (transmission == null || !transmission.isFull() && hasItsTurn());
  }

  private boolean hasItsTurn() {
    return turns == null || turns.has(negotiation.volume(), this);
  }

  /**
   * Another connection takes its place, also if this one only waits until its client has all
   * answers: that client may have vanished. To be called on the connection's loop.
   */
  void replaced() {
    close(
        context,
        phase == Phase.CLOSED ? null : "its client has connected anew, or another one has");
  }

  /**
   * Takes first what has been received already, then more, as far as there is room. Does so in a
   * task of its own, not while an answer is being written.
   */
  @Override
  public void goOn() {
    context
        .executor()
        .execute(
            () ->
                context
                    .pipeline()
                    .fireChannelRead(Unpooled.EMPTY_BUFFER)
                    .fireChannelReadComplete());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      goOn();
    }
  }

  @Override
  public boolean standsStill() {
    ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
    long left = unsent == null ? 0 : unsent.totalPendingWriteBytes() - unsent.currentProgress();
    long now = moved - left; // what was received, and what was not sent
    boolean still = now == movedBefore && (request != null || left > 0);
    movedBefore = now;
    return still;
  }

  @Override
  public void evict() {
    close(context, "nothing has moved for a while, and others wait for the memory");
  }

  /** The memory of what has begun comes back: what the volume does ends, and the rest here. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    phase = Phase.CLOSED;
    super.channelInactive(ctx);
    dropRequest();
    memory.leave(this);
    if (turns != null && transmission != null) {
      transmission.whenIdle(() -> turns.leave(negotiation.volume(), this));
    }
  }

  private void dropRequest() {
    if (request != null) {
      transmission.drop(request);
      request = null;
    }
  }

  /** A client that sends nothing more may still await answers. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      goOn();
    }
  }

  /** Replaces the decoder's method, which would go on reading when it should stop. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.channel().config().setAutoRead(takesMore(ctx));
    discardSomeReadBytes();
    ctx.fireChannelReadComplete();
    if (inputEnded && starved && phase != Phase.CLOSED) {
      disconnect(ctx);
    }
  }

  private void clientFlags(ChannelHandlerContext ctx, ByteBuf in) {
    if (in.readableBytes() >= 4) {
      int flags = in.readInt();
      if ((flags & ~(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) != 0) {
        close(ctx, "client flags " + Integer.toHexString(flags));
        return;
      }
      negotiation.setNoZeroes((flags & Nbd.FLAG_NO_ZEROES) != 0);
      phase = Phase.OPTIONS;
    }
  }

  private void option(ChannelHandlerContext ctx, ByteBuf in) {
    if (skip > 0) {
      int now = (int) Math.min(skip, in.readableBytes());
      in.skipBytes(now);
      skip -= now;
      if (skip == 0) {
        Options.tooBig(skipped, negotiation, replies(ctx, skipped));
        answered(ctx);
      }
      return;
    }
    if (in.readableBytes() < OPTION_HEADER) {
      return;
    }
    int at = in.readerIndex();
    int option = in.getInt(at + 8);
    long length = in.getUnsignedInt(at + 12);
    if (in.getLong(at) != Nbd.IHAVEOPT) {
      close(ctx, "sent something that is no option");
    } else if (length > MAX_OPTION) {
      in.skipBytes(OPTION_HEADER);
      skip = length;
      skipped = option;
    } else if (in.readableBytes() >= OPTION_HEADER + length) {
      byte[] data = new byte[(int) length];
      in.skipBytes(OPTION_HEADER).readBytes(data);
      Options.handle(option, ByteBuffer.wrap(data), exports, negotiation, replies(ctx, option));
      answered(ctx);
    }
  }

  private void answered(ChannelHandlerContext ctx) {
    ctx.flush();
    if (negotiation.over()) {
      closeAfterAnswers(ctx);
    } else if (negotiation.volume() != null) {
      transmission =
          new Transmission(
              ctx,
              negotiation.volume(),
              negotiation.structured(),
              negotiation.metaContext(),
              memory,
              meter,
              this::goOn);
      ctx.channel().config().setWriteBufferWaterMark(UNSENT);
      phase = Phase.TRANSMISSION;
      if (turns != null) {
        turns.enter(negotiation.volume(), this);
      }
    }
  }

  private static Replies replies(ChannelHandlerContext ctx, int option) {
    return new Replies() {
      @Override
      public void reply(int type, ByteBuffer data) {
        ByteBuf b = ctx.alloc().buffer(20 + data.remaining());
        b.writeLong(Nbd.OPTION_REPLY_MAGIC)
            .writeInt(option)
            .writeInt(type)
            .writeInt(data.remaining())
            .writeBytes(data);
        ctx.write(b, ctx.voidPromise());
      }

      @Override
      public void raw(ByteBuffer data) {
        ctx.write(ctx.alloc().buffer(data.remaining()).writeBytes(data), ctx.voidPromise());
      }
    };
  }

  private void request(ChannelHandlerContext ctx, ByteBuf in) {
    if (request == null && !begin(ctx, in)) {
      return;
    }
    int payload = request.command() == Nbd.CMD_WRITE ? request.length() : 0;
    if (in.readableBytes() >= payload) {
      Request complete = request;
      request = null;
      transmission.perform(complete, payload == 0 ? null : in.readRetainedSlice(payload));
    }
  }

  /** Takes a request's header, if there is memory for the request. */
  private boolean begin(ChannelHandlerContext ctx, ByteBuf in) {
    if (in.readableBytes() < REQUEST_HEADER) {
      return false;
    }
    int at = in.readerIndex();
    Request next =
        new Request(
            in.getUnsignedShort(at + 4),
            in.getUnsignedShort(at + 6),
            in.getLong(at + 8),
            in.getLong(at + 16),
            in.getInt(at + 24));
    if (in.getInt(at) != Nbd.REQUEST_MAGIC) {
      close(ctx, "sent something that is no request");
    } else if (next.command() == Nbd.CMD_WRITE && next.bytes() > Nbd.MAX_PAYLOAD) {
      close(ctx, "a write of " + next.bytes() + " bytes; " + Nbd.MAX_PAYLOAD + " is the most");
    } else if (next.command() == Nbd.CMD_DISC) {
      disconnect(ctx);
    } else {
      waits = !memory.take(this, transmission.weight(next), ctx.executor());
      if (!waits) {
        in.skipBytes(REQUEST_HEADER);
        request = next;
        transmission.begin(next);
      }
    }
    return request != null;
  }

  /**
   * Takes no more requests. A client that reconnects sends them again. To be called on the
   * connection's loop.
   */
  void takeNoMore() {
    phase = Phase.CLOSED;
    dropRequest();
  }

  /**
   * Takes no more requests, and closes the connection once those before are answered. To be called
   * on the connection's loop.
   */
  void end() {
    if (context != null && context.channel().isActive()) {
      disconnect(context);
    }
  }

  /** Takes nothing more. Closes the connection once everything is answered. */
  private void disconnect(ChannelHandlerContext ctx) {
    takeNoMore();
    if (transmission == null) {
      closeAfterAnswers(ctx);
    } else {
      transmission.whenIdle(() -> closeAfterAnswers(ctx));
    }
  }

  /** Closes the connection once the client has all answers. */
  private void closeAfterAnswers(ChannelHandlerContext ctx) {
    phase = Phase.CLOSED;
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  /**
   * Closes the connection at once.
   *
   * @param why what was wrong, or null when nothing was
   */
  private void close(ChannelHandlerContext ctx, String why) {
    if (why != null) {
      LOG.warn("NBD client {}: {}; connection closed", ctx.channel().remoteAddress(), why);
    }
    phase = Phase.CLOSED;
    ctx.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    close(ctx, cause.toString());
  }
}
