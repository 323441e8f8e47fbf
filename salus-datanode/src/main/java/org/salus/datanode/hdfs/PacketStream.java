package org.salus.datanode.hdfs;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.salus.core.log.LogRecord;

/**
 * The connection of a pipeline of one: packets out, acknowledgements in. One thread sends and one reads; {@link #close}
 * is for any.
 */
final class PacketStream implements Closeable {
  /** Bytes that have a checksum of their own. */
  static final int CHUNK = LogRecord.CHUNK;
  private static final int PACKET = 64 << 10;
  private static final int CONNECT_MILLIS = 5000;
  /** Heartbeats are acknowledged too: a DataNode that is silent for so long hangs, or its disk does. */
  private static final int ACK_MILLIS = 10_000;
  private static final long HEARTBEAT_SEQUENCE = -1;

  /** The DataNode answered by closing the connection, or with an error, before anything was sent. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** What is asked of which DataNode. A block's {@code numBytes} is what the stage wants it to be. */
  record Setup(ExtendedBlock block, Token<BlockTokenIdentifier> token, DatanodeInfo dataNode, StorageType storageType,
      String storageId, String client, BlockConstructionStage stage, long replicaLength, long newStamp) {
    /** A stamp other than 0 here would wipe an existing replica. */
    static Setup create(BlockHandle handle, int index) {
      return new Setup(handle.blockOfLength(handle.blockSize()), handle.located().getBlockToken(),
          handle.located().getLocations()[index], handle.located().getStorageTypes()[index],
          handle.located().getStorageIDs()[index], VolumeFiles.leaseHolder(handle.path()),
          BlockConstructionStage.PIPELINE_SETUP_CREATE, 0, 0);
    }
  }

  private final Socket socket = new Socket();
  // Has state: one for each stream.
  private final DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);
  private final byte[] data = new byte[PACKET];
  private final byte[] sums = new byte[PACKET / CHUNK * 4];
  private DataOutputStream out;
  private DataInputStream in;
  private long position;
  private int tail;
  private long nextSequence;

  private PacketStream(long position, byte[] partial) {
    this.position = position;
    this.tail = (int) (position % CHUNK);
    if (partial.length != tail) {
      throw new IllegalArgumentException(partial.length + " bytes of the last chunk, not " + tail);
    }
    System.arraycopy(partial, 0, data, 0, tail);
  }

  /** Connects. {@code partial} is the content of the replica's last chunk, if that is not full. */
  static PacketStream open(Setup setup, long position, byte[] partial) throws IOException {
    PacketStream stream = new PacketStream(position, partial);
    try {
      stream.connect(setup);
      return stream;
    } catch (IOException e) {
      stream.close();
      throw e;
    }
  }

  private void connect(Setup s) throws IOException {
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(s.dataNode.getIpAddr(), s.dataNode.getXferPort()), CONNECT_MILLIS);
    socket.setSoTimeout(ACK_MILLIS);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 2 * PACKET));
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), CHUNK));
    new Sender(out).writeBlock(s.block, s.storageType, s.token, s.client, new DatanodeInfo[0], new StorageType[0],
        null, s.stage, 1, s.replicaLength, Long.MAX_VALUE, s.newStamp, checksum,
        CachingStrategy.newDefaultStrategy(), false, false, null, s.storageId, new String[0]);
    BlockOpResponseProto reply;
    try {
      reply = BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in));
    } catch (IOException e) {
      throw new RefusedException("closed the connection instead of accepting " + s.block, e);
    }
    if (reply.getStatus() != Status.SUCCESS) {
      throw new RefusedException(reply.getStatus() + " " + reply.getMessage(), null);
    }
  }

  /** Where the next byte goes. */
  long position() {
    return position;
  }

  /** Sequence number of the last packet that {@link #append} will use for so many bytes; for 0 bytes that of one empty packet. */
  long lastSequenceOf(long bytes) {
    return bytes == 0 ? nextSequence : nextSequence + (tail + bytes + PACKET - 1) / PACKET - 1;
  }

  /** Sends {@code bytes} bytes of the parts; {@code sync} takes effect with the last packet. */
  void append(ByteBuffer[] parts, long bytes, boolean sync) throws IOException {
    if (bytes == 0) {
      packet(position, 0, false, sync);
      return;
    }
    int part = 0;
    long left = bytes;
    do {
      int fill = tail;
      while (fill < PACKET && left > 0) {
        int n = Math.min(PACKET - fill, parts[part].remaining());
        parts[part].get(data, fill, n);
        fill += n;
        left -= n;
        if (!parts[part].hasRemaining()) {
          part++;
        }
      }
      packet(position - tail, fill, false, sync && left == 0);
      position += fill - tail;
      keepTail(fill);
    } while (left > 0);
  }

  /** A partial chunk is sent again from its start by the next packet: the DataNode replaces its checksum. */
  private void keepTail(int fill) {
    tail = fill % CHUNK;
    System.arraycopy(data, fill - tail, data, 0, tail);
  }

  /** Sends the packet that finalizes the replica. */
  void end(boolean sync) throws IOException {
    packet(position, 0, true, sync);
  }

  void heartbeat() throws IOException {
    new PacketHeader(4, 0, HEARTBEAT_SEQUENCE, false, 0, false).write(out);
    out.flush();
  }

  private void packet(long at, int bytes, boolean last, boolean sync) throws IOException {
    int sumBytes = checksum.getChecksumSize(bytes);
    if (bytes > 0) {
      checksum.calculateChunkedSums(data, 0, bytes, sums, 0);
    }
    new PacketHeader(4 + sumBytes + bytes, at, nextSequence++, last, bytes, sync).write(out);
    out.write(sums, 0, sumBytes);
    out.write(data, 0, bytes);
  }

  void flush() throws IOException {
    out.flush();
  }

  /** Waits for the next acknowledgement; the sequence number of its packet. */
  long readAck() throws IOException {
    PipelineAck ack = new PipelineAck();
    for (;;) {
      ack.readFields(in);
      Status status = PipelineAck.getStatusFromHeader(ack.getHeaderFlag(0));
      if (status != Status.SUCCESS) {
        throw new IOException("acknowledged with " + status);
      }
      if (ack.getSeqno() >= 0) {
        return ack.getSeqno();
      }
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // The connection is gone either way.
    }
  }
}
