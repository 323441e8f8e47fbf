package org.salus.datanode.hdfs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.protobuf.ProtobufVarint32FrameDecoder;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.PipelineAckProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.salus.core.log.LogRecord;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a pipeline of one: packets out, acknowledgements in. Lives on one loop, which
 * makes all calls.
 */
public final class PacketStream extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(PacketStream.class);

  /** Bytes that have a checksum of their own. */
  public static final int CHUNK = LogRecord.CHUNK;

  private static final int PACKET = 256 << 10;
  private static final int SUM = Integer.BYTES;
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /**
   * Heartbeats are acknowledged too: a DataNode that is silent for so long hangs, or its disk does.
   */
  private static final int ACK_SECONDS = 10;

  private static final int HEARTBEAT_SECONDS = 3;
  private static final long HEARTBEAT_SEQUENCE = -1;

  /**
   * The DataNode answered by closing the connection, or with an error, before anything was sent.
   */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * What is asked of which DataNode. A block's {@code numBytes} is what the stage wants it to be.
   */
  public record Setup(
      ExtendedBlock block,
      Token<BlockTokenIdentifier> token,
      DatanodeInfo dataNode,
      StorageType storageType,
      String storageId,
      String client,
      BlockConstructionStage stage,
      long replicaLength,
      long newStamp) {}

  /** Who is told what comes of it, on the loop. */
  public interface Owner {
    /**
     * Packets can be sent: the DataNode has accepted, or has taken enough of what was sent before.
     */
    void writable();

    /** All packets up to this one have been acknowledged. */
    void acked(long sequence);

    /** The connection is of no use any more. May be called again. */
    void lost(IOException why);
  }

  private final Setup setup;
  private final Owner owner;
  private final CRC32C crc = new CRC32C();
  private final byte[] tail = new byte[CHUNK];
  private Channel channel;
  private boolean accepted;
  private boolean closed;
  private long position;
  private int tailBytes;
  private long nextSequence;

  /**
   * @param partial the content of the replica's last chunk, if that is not full
   */
  public PacketStream(Setup setup, long position, byte[] partial, Owner owner) {
    this.setup = setup;
    this.owner = owner;
    this.position = position;
    this.tailBytes = (int) (position % CHUNK);
    if (partial.length != tailBytes) {
      throw new IllegalArgumentException(
          partial.length + " bytes of the last chunk, not " + tailBytes);
    }
    System.arraycopy(partial, 0, tail, 0, tailBytes);
  }

  public void connect(Loop loop) {
    InetSocketAddress address =
        new InetSocketAddress(setup.dataNode.getIpAddr(), setup.dataNode.getXferPort());
    loop.connect(address, CONNECT, pipeline())
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                owner.lost(asIo(done.cause()));
              }
            });
  }

  private ChannelHandler pipeline() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel made) {
        made.pipeline()
            .addLast(
                new IdleStateHandler(ACK_SECONDS, HEARTBEAT_SECONDS, 0),
                new ProtobufVarint32FrameDecoder(),
                PacketStream.this);
      }
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext context) throws IOException {
    channel = context.channel();
    if (closed) {
      channel.close();
      return;
    }
    ByteBuf request = channel.alloc().directBuffer();
    new Sender(new DataOutputStream(new ByteBufOutputStream(request)))
        .writeBlock(
            setup.block,
            setup.storageType,
            setup.token,
            setup.client,
            new DatanodeInfo[0],
            new StorageType[0],
            null,
            setup.stage,
            1,
            setup.replicaLength,
            Long.MAX_VALUE,
            setup.newStamp,
            DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK),
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            null,
            setup.storageId,
            new String[0]);
    channel.writeAndFlush(request, channel.voidPromise());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) throws IOException {
    if (accepted) {
      acknowledged(PipelineAckProto.parseFrom(new ByteBufInputStream(frame)));
      return;
    }
    BlockOpResponseProto reply = BlockOpResponseProto.parseFrom(new ByteBufInputStream(frame));
    if (reply.getStatus() != Status.SUCCESS) {
      throw new RefusedException(reply.getStatus() + " " + reply.getMessage(), null);
    }
    accepted = true;
    owner.writable();
  }

  private void acknowledged(PipelineAckProto ack) throws IOException {
    if (ack.getReply(0) != Status.SUCCESS) {
      throw new IOException("acknowledged with " + ack.getReply(0));
    }
    if (ack.getSeqno() != HEARTBEAT_SEQUENCE) {
      owner.acked(ack.getSeqno());
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (isWritable()) {
      owner.writable();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event)
      throws SocketTimeoutException {
    if (event instanceof IdleStateEvent idle) {
      if (idle.state() == IdleState.READER_IDLE) {
        throw new SocketTimeoutException("silent for " + ACK_SECONDS + " s");
      }
      if (accepted) {
        packet(HEARTBEAT_SEQUENCE, 0, List.of(), 0, false, false);
        flush();
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    owner.lost(
        accepted
            ? new IOException("closed the connection")
            : new RefusedException(
                "closed the connection instead of accepting " + setup.block, null));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException) && !(cause instanceof DecoderException)) {
      LOG.error("bug in the stream to {}", setup.dataNode, cause);
    }
    boolean refused =
        !accepted
            && !(cause instanceof SocketTimeoutException)
            && !(cause instanceof RefusedException);
    owner.lost(
        refused
            ? new RefusedException(
                "does not accept " + setup.block + ": " + cause.getMessage(), cause)
            : asIo(cause));
  }

  private static IOException asIo(Throwable cause) {
    return cause instanceof IOException e ? e : new IOException(cause.toString(), cause);
  }

  /** Whether packets may be sent now; if not, {@link Owner#writable} tells when. */
  public boolean isWritable() {
    return accepted && !closed && channel.isWritable();
  }

  /** Where the next byte goes. */
  public long position() {
    return position;
  }

  /**
   * Sends {@code bytes} bytes, all that remain in the parts, with the next {@link #flush}; {@code
   * sync} takes effect with the last packet.
   *
   * @return the sequence number of that packet
   */
  public long append(List<ByteBuffer> parts, long bytes, boolean sync) {
    long left = bytes;
    do {
      int fill = left == 0 ? 0 : (int) Math.min(PACKET, tailBytes + left);
      left -= Math.max(0, fill - tailBytes);
      packet(
          nextSequence++,
          fill,
          parts,
          fill == 0 ? position : position - tailBytes,
          false,
          sync && left == 0);
    } while (left > 0);
    return nextSequence - 1;
  }

  /** Sends the packet that finalizes the replica; its sequence number. */
  public long end(boolean sync) {
    packet(nextSequence++, 0, List.of(), position, true, sync);
    return nextSequence - 1;
  }

  /**
   * A partial chunk is sent again from its start by the next packet: the DataNode replaces its
   * checksum.
   */
  private void packet(
      long sequence, int bytes, List<ByteBuffer> parts, long at, boolean last, boolean sync) {
    int sumBytes = (bytes + CHUNK - 1) / CHUNK * SUM;
    byte[] header =
        new PacketHeader(SUM + sumBytes + bytes, at, sequence, last, bytes, sync).getBytes();
    ByteBuf packet = channel.alloc().directBuffer(header.length + sumBytes + bytes);
    int data = header.length + sumBytes;
    packet.writeBytes(header).writerIndex(data);
    if (bytes > 0) {
      fill(packet, data + bytes, parts);
      sum(packet.nioBuffer(data, bytes), packet.nioBuffer(data - sumBytes, sumBytes));
      position = at + bytes;
      tailBytes = bytes % CHUNK;
      packet.getBytes(data + bytes - tailBytes, tail, 0, tailBytes);
    }
    channel.write(packet, channel.voidPromise());
  }

  private void fill(ByteBuf packet, int end, List<ByteBuffer> parts) {
    packet.writeBytes(tail, 0, tailBytes);
    for (ByteBuffer part : parts) {
      int rest = part.limit();
      part.limit(part.position() + Math.min(part.remaining(), end - packet.writerIndex()));
      packet.writeBytes(part);
      part.limit(rest);
    }
  }

  private void sum(ByteBuffer data, ByteBuffer sums) {
    for (int from = 0, end = data.limit(); from < end; from += CHUNK) {
      crc.reset();
      crc.update(data.limit(Math.min(from + CHUNK, end)).position(from));
      sums.putInt((int) crc.getValue());
    }
  }

  public void flush() {
    channel.flush();
  }

  /** Drops the connection, now or when it is there. */
  public void close() {
    closed = true;
    if (channel != null) {
      channel.close();
    }
  }
}
