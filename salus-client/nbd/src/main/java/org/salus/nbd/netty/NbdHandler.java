package org.salus.nbd.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.ByteBuffer;
import java.util.List;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;
import org.salus.nbd.Request;
import org.salus.nbd.option.Negotiation;
import org.salus.nbd.option.Options;
import org.salus.nbd.option.Replies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. Greets the client, takes options, then hands requests to {@link Transmission}.
 * Takes nothing more while the transmission is full or the client does not take its answers. This
 * bounds the memory that a client can make the bridge use. Runs on the connection's loop.
 */
public final class NbdHandler extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(NbdHandler.class);
  private static final int OPTION_HEADER = 16;
  private static final int REQUEST_HEADER = 28;
  private static final int MAX_OPTION = 1 << 16;

  private enum Phase {
    CLIENT_FLAGS,
    OPTIONS,
    TRANSMISSION,
    CLOSED
  }

  private final Exports exports;
  private final Negotiation negotiation = new Negotiation();
  private Phase phase = Phase.CLIENT_FLAGS;
  private Transmission transmission;
  private Request request;

  public NbdHandler(Exports exports) {
    this.exports = exports;
    setCumulator(COMPOSITE_CUMULATOR);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.writeAndFlush(
        ctx.alloc()
            .buffer(18)
            .writeLong(Nbd.NBDMAGIC)
            .writeLong(Nbd.IHAVEOPT)
            .writeShort(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    for (int before = -1; in.isReadable() && in.readableBytes() != before && takesMore(ctx); ) {
      before = in.readableBytes();
      switch (phase) {
        case CLIENT_FLAGS -> clientFlags(ctx, in);
        case OPTIONS -> option(ctx, in);
        case TRANSMISSION -> request(ctx, in);
        default -> in.skipBytes(in.readableBytes());
      }
    }
  }

  private boolean takesMore(ChannelHandlerContext ctx) {
    return ctx.channel().isWritable() && (transmission == null || !transmission.isFull());
  }

  /**
   * Takes first what has been received already, then more, as far as there is room. Does so in a
   * task of its own, not while an answer is being written.
   */
  private static void goOn(ChannelHandlerContext ctx) {
    ctx.executor()
        .execute(
            () -> ctx.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER).fireChannelReadComplete());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      goOn(ctx);
    }
  }

  /** Replaces the decoder's method, which would go on reading when it should stop. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.channel().config().setAutoRead(takesMore(ctx));
    discardSomeReadBytes();
    ctx.fireChannelReadComplete();
  }

  private void clientFlags(ChannelHandlerContext ctx, ByteBuf in) {
    if (in.readableBytes() >= 4) {
      int flags = in.readInt();
      if ((flags & Nbd.FLAG_FIXED_NEWSTYLE) == 0
          || (flags & ~(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) != 0) {
        close(ctx, "client flags " + Integer.toHexString(flags));
        return;
      }
      negotiation.setNoZeroes((flags & Nbd.FLAG_NO_ZEROES) != 0);
      phase = Phase.OPTIONS;
    }
  }

  private void option(ChannelHandlerContext ctx, ByteBuf in) {
    if (in.readableBytes() < OPTION_HEADER) {
      return;
    }
    int at = in.readerIndex();
    int length = in.getInt(at + 12);
    if (in.getLong(at) != Nbd.IHAVEOPT || length < 0 || length > MAX_OPTION) {
      close(ctx, "sent something that is no option");
    } else if (in.readableBytes() >= OPTION_HEADER + length) {
      int option = in.getInt(at + 8);
      byte[] data = new byte[length];
      in.skipBytes(OPTION_HEADER).readBytes(data);
      Options.handle(option, ByteBuffer.wrap(data), exports, negotiation, replies(ctx, option));
      ctx.flush();
      if (negotiation.over()) {
        close(ctx, null);
      } else if (negotiation.volume() != null) {
        transmission =
            new Transmission(
                ctx,
                negotiation.volume(),
                negotiation.structured(),
                negotiation.metaContext(),
                () -> goOn(ctx));
        phase = Phase.TRANSMISSION;
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
    if (request == null) {
      if (in.readableBytes() < REQUEST_HEADER) {
        return;
      }
      if (in.readInt() != Nbd.REQUEST_MAGIC) {
        close(ctx, "sent something that is no request");
        return;
      }
      request =
          new Request(
              in.readUnsignedShort(),
              in.readUnsignedShort(),
              in.readLong(),
              in.readLong(),
              in.readInt());
      if (request.command() == Nbd.CMD_WRITE && request.bytes() > Nbd.MAX_PAYLOAD) {
        close(ctx, "a write of " + request.bytes() + " bytes; " + Nbd.MAX_PAYLOAD + " is the most");
        return;
      }
    }
    if (request.command() == Nbd.CMD_DISC) {
      close(ctx, null);
      return;
    }
    int payload = request.command() == Nbd.CMD_WRITE ? request.length() : 0;
    if (in.readableBytes() >= payload) {
      Request complete = request;
      request = null;
      transmission.perform(complete, payload == 0 ? null : in.readRetainedSlice(payload));
    }
  }

  /**
   * Closes the connection.
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
