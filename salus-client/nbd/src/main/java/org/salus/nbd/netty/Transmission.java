package org.salus.nbd.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.salus.client.Volume;
import org.salus.nbd.Nbd;
import org.salus.nbd.NbdMeter;
import org.salus.nbd.Request;
import org.salus.nbd.RequestGate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs a connection's requests on its volume and answers each when it is done. Knows when too
 * many are under way: a read is until its answer is sent. If it cannot make an answer, it closes
 * the connection, for the client would wait for ever. Every method must be called on the
 * connection's loop.
 */
final class Transmission {
  private static final Logger LOG = LoggerFactory.getLogger(Transmission.class);

  private static final long MOST_BYTES = 64L << 20;
  private static final int MOST_REQUESTS = 1024;

  /** What a request holds besides its data: itself, its future and its answer's header. */
  private static final int OF_REQUEST = 512;

  /** What an extent holds, on the way from the volume to the answer. */
  private static final int OF_EXTENT = 64;

  private final ChannelHandlerContext ctx;
  private final Volume volume;
  private final boolean structured;
  private final boolean metaContext;
  private final SharedMemory memory;
  private final NbdMeter meter;
  private final Runnable room;
  private long bytes;
  private int requests;

  /** When the request that is being performed came, of {@link System#nanoTime}. */
  private long began;

  /** Run once no request is under way; null until then. */
  private Runnable whenIdle;

  /**
   * @param structured whether replies are structured
   * @param metaContext whether the client chose base:allocation for this volume
   * @param memory where requests give back what was taken for them
   * @param meter counts the requests
   * @param room run when it is no longer full
   */
  Transmission(
      ChannelHandlerContext ctx,
      Volume volume,
      boolean structured,
      boolean metaContext,
      SharedMemory memory,
      NbdMeter meter,
      Runnable room) {
    this.ctx = ctx;
    this.volume = volume;
    this.structured = structured;
    this.metaContext = metaContext;
    this.memory = memory;
    this.meter = meter;
    this.room = room;
  }

  /** Whether it can take no more requests now: over 64 MiB or 1024 requests are under way. */
  boolean isFull() {
    return bytes > MOST_BYTES || requests > MOST_REQUESTS;
  }

  /** The bytes of memory that a request holds while it is under way. */
  long weight(Request r) {
    long data =
        switch (r.command()) {
          case Nbd.CMD_READ -> Math.min(r.bytes(), Nbd.MAX_PAYLOAD); // a longer one is refused
          case Nbd.CMD_WRITE -> written(r);
          case Nbd.CMD_BLOCK_STATUS -> (r.bytes() / volume.blockSize() + 2) * OF_EXTENT;
          default -> 0;
        };
    return OF_REQUEST + data;
  }

  /**
   * The bytes that a write holds: all blocks that it touches, for the volume copies it into whole
   * blocks, and two more where it may read the first and the last block.
   */
  private long written(Request r) {
    long block = volume.blockSize();
    long end = Math.floorMod(r.offset(), block) + r.bytes(); // from the first block's beginning
    boolean whole = end == r.bytes() && end % block == 0;
    return whole ? end : ((end + block - 1) / block + 2) * block;
  }

  /**
   * Begins a request, for which its weight was taken from the memory. Its data may follow later.
   */
  void begin(Request r) {
    requests++;
    bytes += weight(r);
  }

  /** Ends a request that was begun and will not be performed, since its data does not come. */
  void drop(Request r) {
    gave(r);
  }

  /** Runs {@code then} once every request that was begun is answered. */
  void whenIdle(Runnable then) {
    whenIdle = then;
    runIfIdle();
  }

  private void runIfIdle() {
    if (requests == 0 && whenIdle != null) {
      Runnable then = whenIdle;
      whenIdle = null;
      then.run();
    }
  }

  /**
   * Performs a request that was begun, or answers with an error.
   *
   * @param payload the data of a write, which is released; else null
   */
  void perform(Request r, ByteBuf payload) {
    began = System.nanoTime();
    try {
      int refused = RequestGate.check(r, volume, structured, metaContext);
      if (refused == 0) {
        start(r, payload);
      } else {
        refuse(r, refused);
      }
    } catch (RuntimeException | OutOfMemoryError failed) {
      LOG.warn("a request of an NBD client fails", failed);
      refuse(r, Nbd.EIO);
    } finally {
      if (payload != null) {
        payload.release();
      }
    }
  }

  private void refuse(Request r, int errno) {
    meter.failed(r);
    end(r, () -> fail(r, errno));
    ctx.flush();
  }

  private void start(Request r, ByteBuf payload) {
    boolean fua = r.has(Nbd.CMD_FLAG_FUA);
    switch (r.command()) {
      case Nbd.CMD_READ -> read(r);
      case Nbd.CMD_WRITE -> {
        ByteBuffer data = payload == null ? ByteBuffer.allocate(0) : payload.nioBuffer();
        answer(r, volume.write(r.offset(), data, fua), () -> done(r)); // it has copied the data
      }
      case Nbd.CMD_FLUSH -> answer(r, volume.flush(), () -> done(r));
      case Nbd.CMD_BLOCK_STATUS -> blockStatus(r);
      default -> answer(r, volume.writeZeroes(r.offset(), r.bytes(), fua), () -> done(r));
    }
  }

  private void read(Request r) {
    ByteBuf data = ctx.alloc().directBuffer(Math.max(1, r.length()));
    CompletableFuture<Void> read;
    try {
      read = volume.read(r.offset(), data.internalNioBuffer(0, r.length()).slice());
    } catch (RuntimeException | OutOfMemoryError failed) {
      data.release();
      throw failed;
    }
    onLoop(
        r,
        read,
        failure -> {
          if (failure != null) {
            data.release();
            end(r, () -> fail(r, RequestGate.errno(failure)));
          } else if (answers(() -> writeHeader(r))) {
            ctx.write(data.writerIndex(r.length())).addListener(sent -> gave(r));
          } else {
            data.release();
            gave(r);
          }
        });
  }

  /** Writes what precedes the data of a read's answer. */
  private void writeHeader(Request r) {
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
  }

  private void blockStatus(Request r) {
    CompletableFuture<List<Volume.Extent>> extents = volume.extents(r.offset(), r.bytes());
    answer(
        r,
        extents,
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

  /** Answers when the volume is done. */
  private void answer(Request r, CompletableFuture<?> result, Runnable success) {
    onLoop(
        r,
        result,
        failure -> end(r, failure == null ? success : () -> fail(r, RequestGate.errno(failure))));
  }

  /** Ends a request with its answer. */
  private void end(Request r, Runnable answer) {
    answers(answer);
    gave(r);
  }

  /** Returns whether the answer, or its beginning, could be made. */
  private boolean answers(Runnable answer) {
    try {
      answer.run();
      return true;
    } catch (RuntimeException | OutOfMemoryError failed) {
      LOG.warn("a request of an NBD client cannot be answered; connection closed", failed);
      ctx.close();
      return false;
    }
  }

  /** Calls back on the connection's loop, with null or the failure, and then sends the answer. */
  private void onLoop(Request r, CompletableFuture<?> result, Consumer<Throwable> then) {
    long since = began;
    result.whenComplete(
        (ok, failure) ->
            ctx.executor()
                .execute(
                    () -> {
                      if (failure == null) {
                        meter.done(r, since);
                      } else {
                        meter.failed(r);
                      }
                      then.accept(failure);
                      ctx.flush();
                    }));
  }

  private void gave(Request r) {
    boolean wasFull = isFull();
    requests--;
    bytes -= weight(r);
    memory.give(weight(r));
    if (wasFull && !isFull()) {
      room.run();
    }
    runIfIdle();
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
