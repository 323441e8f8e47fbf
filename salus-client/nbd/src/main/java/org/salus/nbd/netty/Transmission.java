package org.salus.nbd.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.client.Volume;
import org.salus.nbd.Nbd;
import org.salus.nbd.Request;
import org.salus.nbd.RequestGate;

/**
 * Performs a connection's requests on its volume and answers each when it is done. Knows when too
 * many are under way. Every method must be called on the connection's loop.
 */
final class Transmission {
  private static final long MOST_BYTES = 64L << 20;
  private static final int MOST_REQUESTS = 1024;

  private final ChannelHandlerContext ctx;
  private final Volume volume;
  private final boolean structured;
  private final boolean metaContext;
  private final Runnable room;
  private long bytes;
  private int requests;

  /**
   * @param structured whether replies are structured
   * @param metaContext whether the client asked for base:allocation
   * @param room run when it is no longer full
   */
  Transmission(
      ChannelHandlerContext ctx,
      Volume volume,
      boolean structured,
      boolean metaContext,
      Runnable room) {
    this.ctx = ctx;
    this.volume = volume;
    this.structured = structured;
    this.metaContext = metaContext;
    this.room = room;
  }

  /** Whether it can take no more requests now: over 64 MiB or 1024 requests are under way. */
  boolean isFull() {
    return bytes > MOST_BYTES || requests > MOST_REQUESTS;
  }

  /**
   * Performs one request, or answers with an error.
   *
   * @param payload the data of a write, released when the write is done; else null
   */
  void perform(Request r, ByteBuf payload) {
    int refused = RequestGate.check(r, volume, metaContext);
    if (refused != 0) {
      release(payload);
      fail(r, refused);
      return;
    }
    took(r);
    boolean fua = r.has(Nbd.CMD_FLAG_FUA);
    switch (r.command()) {
      case Nbd.CMD_READ -> read(r);
      case Nbd.CMD_WRITE -> {
        ByteBuffer data = payload == null ? ByteBuffer.allocate(0) : payload.nioBuffer();
        answer(r, volume.write(r.offset(), data, fua), payload, () -> done(r));
      }
      case Nbd.CMD_FLUSH -> answer(r, volume.flush(), null, () -> done(r));
      case Nbd.CMD_BLOCK_STATUS -> blockStatus(r);
      default -> answer(r, volume.writeZeroes(r.offset(), r.bytes(), fua), null, () -> done(r));
    }
  }

  private void read(Request r) {
    ByteBuf data = ctx.alloc().directBuffer(Math.max(1, r.length()));
    answer(
        r,
        volume.read(r.offset(), data.internalNioBuffer(0, r.length()).slice()),
        data,
        () -> {
          data.writerIndex(r.length());
          if (!structured) {
            ctx.write(simple(r, 0), ctx.voidPromise());
          } else if (r.length() > 0) {
            ctx.write(
                chunk(r, Nbd.REPLY_FLAG_DONE, Nbd.REPLY_TYPE_OFFSET_DATA, 8 + r.length())
                    .writeLong(r.offset()),
                ctx.voidPromise());
          } else {
            done(r);
          }
          ctx.write(data.retain(), ctx.voidPromise());
        });
  }

  private void blockStatus(Request r) {
    CompletableFuture<List<Volume.Extent>> extents = volume.extents(r.offset(), r.bytes());
    answer(
        r,
        extents,
        null,
        () -> {
          List<Volume.Extent> all =
              r.has(Nbd.CMD_FLAG_REQ_ONE) ? extents.join().subList(0, 1) : extents.join();
          ByteBuf b =
              chunk(r, Nbd.REPLY_FLAG_DONE, Nbd.REPLY_TYPE_BLOCK_STATUS, 4 + 8 * all.size())
                  .writeInt(Nbd.BASE_ALLOCATION_ID);
          all.forEach(
              x ->
                  b.writeInt((int) x.length())
                      .writeInt(x.zero() ? Nbd.STATE_HOLE | Nbd.STATE_ZERO : 0));
          ctx.write(b, ctx.voidPromise());
        });
  }

  /** Answers on the connection's loop when the volume is done. */
  private void answer(Request r, CompletableFuture<?> result, ByteBuf buffer, Runnable success) {
    result.whenComplete(
        (ok, failure) ->
            ctx.executor()
                .execute(
                    () -> {
                      if (failure == null) {
                        success.run();
                      } else {
                        fail(r, RequestGate.errno(failure));
                      }
                      release(buffer);
                      ctx.flush();
                      gave(r);
                    }));
  }

  private static void release(ByteBuf b) {
    if (b != null) {
      b.release();
    }
  }

  private void took(Request r) {
    requests++;
    bytes += weight(r);
  }

  private void gave(Request r) {
    boolean wasFull = isFull();
    requests--;
    bytes -= weight(r);
    if (wasFull && !isFull()) {
      room.run();
    }
  }

  private static long weight(Request r) {
    return r.command() == Nbd.CMD_READ || r.command() == Nbd.CMD_WRITE ? r.bytes() : 0;
  }

  private void done(Request r) {
    ctx.write(
        structured ? chunk(r, Nbd.REPLY_FLAG_DONE, Nbd.REPLY_TYPE_NONE, 0) : simple(r, 0),
        ctx.voidPromise());
  }

  private void fail(Request r, int errno) {
    ctx.write(
        structured
            ? chunk(r, Nbd.REPLY_FLAG_DONE, Nbd.REPLY_TYPE_ERROR, 6).writeInt(errno).writeShort(0)
            : simple(r, errno),
        ctx.voidPromise());
    ctx.flush();
  }

  private ByteBuf simple(Request r, int errno) {
    return ctx.alloc()
        .buffer(16)
        .writeInt(Nbd.SIMPLE_REPLY_MAGIC)
        .writeInt(errno)
        .writeLong(r.cookie());
  }

  private ByteBuf chunk(Request r, int flags, int type, int length) {
    return ctx.alloc()
        .buffer(64)
        .writeInt(Nbd.STRUCTURED_REPLY_MAGIC)
        .writeShort(flags)
        .writeShort(type)
        .writeLong(r.cookie())
        .writeInt(length);
  }
}
