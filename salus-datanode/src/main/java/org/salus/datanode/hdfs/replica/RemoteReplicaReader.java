package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.impl.BlockReaderRemote;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.ipc.RPC;
import org.salus.datanode.ReplicaReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a replica over the DataNode's protocol. Each random read takes one connection, and so does
 * each MiB of sequential reads. It can read open replicas after the DataNode's restart only if that
 * has Salus' guard. Thread-safe.
 */
final class RemoteReplicaReader implements ReplicaReader {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteReplicaReader.class);
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int WINDOW = 1 << 20;

  private final BlockHandle handle;
  private final DatanodeInfo dataNode;
  private final Configuration conf;
  private final boolean growing;

  /** The largest length seen so far, in bytes. */
  private final AtomicLong seen = new AtomicLong();

  /** Guards the read-ahead. A thread that does not get it reads without it. */
  private final ReentrantLock window = new ReentrantLock();

  /** The bytes that were read ahead; they begin at {@link #from}. */
  private ByteBuffer ahead = ByteBuffer.allocate(0);

  /** The position of the first byte that was read ahead. */
  private long from;

  /** The position at which a sequential reader would go on. */
  private long next;

  private RemoteReplicaReader(BlockHandle handle, int index, Configuration conf, boolean growing) {
    this.handle = handle;
    this.dataNode = handle.located().getLocations()[index];
    this.conf = conf;
    this.growing = growing;
  }

  static RemoteReplicaReader of(BlockHandle handle, int index, Configuration conf) {
    return new RemoteReplicaReader(handle, index, conf, handle.open());
  }

  /**
   * Returns a reader of a replica that is finalized at the handle's length, though its file is
   * open.
   */
  static RemoteReplicaReader ofFinalized(BlockHandle handle, int index, Configuration conf) {
    return new RemoteReplicaReader(handle, index, conf, false);
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    long length = lengthFor(position + into.remaining());
    int wanted = (int) Math.min(into.remaining(), length - position);
    if (wanted <= 0) {
      return into.hasRemaining() ? -1 : 0;
    }
    ByteBuffer part = into.slice(into.position(), wanted);
    boolean read = false;
    if (window.tryLock()) {
      try {
        read = readAhead(part, position, length);
      } finally {
        window.unlock();
      }
    }
    if (!read) {
      fetch(part, position, length);
    }
    into.position(into.position() + wanted);
    return wanted;
  }

  /**
   * Returns the length if it is less than {@code wanted}, otherwise at least {@code wanted}. A
   * replica that is being written does not get shorter.
   */
  private long lengthFor(long wanted) throws IOException {
    if (wanted <= seen.get()) {
      return seen.get();
    }
    long length = length();
    if (length < 0) {
      throw new IOException(
          "DataNode "
              + dataNode.getXferAddr()
              + " does not say how long its replica of "
              + handle.path()
              + " is since it has started again");
    }
    return seen.accumulateAndGet(length, Math::max);
  }

  /**
   * Serves sequential reads from the read-ahead, because a connection is expensive. Returns false
   * for random reads.
   */
  private boolean readAhead(ByteBuffer into, long position, long length) throws IOException {
    boolean goesOn = position == next || isAhead(position);
    next = position + into.remaining();
    for (long at = position; goesOn && into.hasRemaining(); ) {
      if (!isAhead(at)) {
        ByteBuffer more = ByteBuffer.allocate((int) Math.min(WINDOW, length - at));
        fetch(more.duplicate(), at, length);
        ahead = more;
        from = at;
      }
      int offset = (int) (at - from);
      int n = Math.min(into.remaining(), ahead.capacity() - offset);
      into.put(ahead.slice(offset, n));
      at += n;
    }
    return goesOn;
  }

  private boolean isAhead(long position) {
    return position >= from && position < from + ahead.capacity();
  }

  /**
   * Reads bytes, as they are on the disk if they do not fit the DataNode's checksums. That is
   * damage and no failure of the network: Salus' own checks tell what of it is wrong, as with a
   * replica on this machine.
   */
  private void fetch(ByteBuffer into, long position, long length) throws IOException {
    byte[] bytes = new byte[into.remaining()];
    try {
      fetch(bytes, position, length, true);
    } catch (ChecksumException damaged) {
      LOG.warn(
          "the replica of {} on {} is damaged: {}",
          handle.path(),
          dataNode.getXferAddr(),
          damaged.getMessage());
      fetch(bytes, position, length, false);
    }
    into.put(bytes);
  }

  private void fetch(byte[] bytes, long position, long length, boolean checked) throws IOException {
    // The socket must have a channel, or the reader cannot time out.
    try (Socket socket = SocketChannel.open().socket()) {
      socket.setTcpNoDelay(true);
      socket.connect(
          new InetSocketAddress(dataNode.getIpAddr(), dataNode.getXferPort()), TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      Peer peer = DFSUtilClient.peerFromSocket(socket);
      ExtendedBlock block = handle.blockOfLength(length);
      BlockReader reader =
          BlockReaderRemote.newBlockReader(
              handle.path(),
              block,
              handle.located().getBlockToken(),
              position,
              bytes.length,
              checked,
              "salus",
              peer,
              dataNode,
              null,
              CachingStrategy.newDefaultStrategy(),
              -1,
              conf);
      try {
        reader.readFully(bytes, 0, bytes.length);
      } finally {
        reader.close();
      }
    }
  }

  @Override
  public long length() throws IOException {
    if (!growing) {
      return handle.length();
    }
    ClientDatanodeProtocol proxy = DataNodeRpc.client(dataNode, handle.located(), conf);
    try {
      return proxy.getReplicaVisibleLength(handle.located().getBlock());
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  @Override
  public boolean local() {
    return false;
  }

  @Override
  public void close() {
    // There is nothing to close: no connection stays open between two reads.
  }
}
