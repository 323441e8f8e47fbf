package org.salus.datanode.hdfs.replica;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.DataChecksum;
import org.salus.datanode.ReplicaReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a replica from its block file, in any state of the replica. The DataNode must allow this
 * process's user in {@code dfs.block.local-path-access.user}. The open file survives the end of the
 * writing, a recovery, and deletion. Thread-safe.
 */
public final class LocalReplicaReader implements ReplicaReader {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicaReader.class);

  /** The alignment of uncached reads, in bytes. It is a multiple of any disk's block. */
  public static final int DIRECT_UNIT = 64 << 10;

  private final FileChannel file;

  /** The same file as the page cache has it, or null if it is read past the page cache. */
  private final PageCacheFile cached;

  /** The DataNode's file of checksums, or null if there is none or reads use the page cache. */
  private final FileChannel sums;

  private LocalReplicaReader(Path file) throws IOException {
    this.file = FileChannel.open(file, StandardOpenOption.READ);
    this.cached = PageCacheFile.open(file);
    this.sums = null;
  }

  private LocalReplicaReader(FileChannel uncached, FileChannel sums) {
    this.file = uncached;
    this.cached = null;
    this.sums = sums;
  }

  /**
   * Opens the replica with this index. If its DataNode is on this machine, this opens its file;
   * otherwise it reads over the DataNode's protocol.
   */
  public static ReplicaReader open(BlockHandle handle, int index, Configuration conf)
      throws IOException {
    DatanodeInfo dataNode = handle.located().getLocations()[index];
    if (isHere(dataNode)) {
      try {
        return new LocalReplicaReader(blockFile(handle, dataNode, conf));
      } catch (IOException e) {
        LOG.warn("No local read of {} on {}: {}", handle, dataNode.getXferAddr(), e.toString());
      }
    }
    return RemoteReplicaReader.of(handle, index, conf);
  }

  private static boolean isHere(DatanodeInfo dataNode) throws IOException {
    return NetUtils.isLocalAddress(InetAddress.getByName(dataNode.getIpAddr()));
  }

  /**
   * Opens the replica of a member's DataNode, on this machine or another. The NameNode need not
   * know of it, because after a restart open replicas are reported late.
   *
   * @param dataNode "ip:port" of the DataNode
   * @return empty if the DataNode itself says that it has no replica, or only one that a recovery
   *     left behind
   */
  public static Optional<ReplicaReader> open(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    return isHere(info)
        ? ifThere(() -> new LocalReplicaReader(blockFile(handle, info, conf)))
        : openRemote(handle, info, files, conf);
  }

  /** Opens the replica of a DataNode that is taken to be on another machine. */
  static Optional<ReplicaReader> openRemote(
      BlockHandle handle, DatanodeInfo dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    if (ifThere(() -> paths(handle, dataNode, conf)).isEmpty()) {
      return Optional.empty();
    }
    String address = dataNode.getXferAddr();
    BlockHandle with = files.withReplicas(handle, List.of(address));
    if (with.indexOf(address) < 0) {
      throw new IOException("DataNode " + address + " is not alive");
    }
    ReplicaReader replica = RemoteReplicaReader.of(with, with.indexOf(address), conf);
    if (replica.length() < 0) {
      throw new IOException(handle.path() + " cannot be read from " + address + " since its start");
    }
    return Optional.of(replica);
  }

  /**
   * Whether a DataNode on this machine counts the replica among its own. It does not count a
   * replica that it is dropping, though the file may still exist. It counts a replica whose file is
   * lost until it notices.
   *
   * @param dataNode "ip:port" of the DataNode
   */
  static boolean isCounted(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    try {
      return ifThere(() -> paths(handle, info, conf)).isPresent();
    } catch (RemoteException e) {
      if (isMissed(e)) {
        return true;
      }
      throw e;
    }
  }

  /**
   * Whether a recovery has left the replica of a DataNode behind: it has an older stamp than the
   * file.
   */
  public static boolean isLeftBehind(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    try {
      paths(handle, info, conf);
      return false;
    } catch (RemoteException e) {
      return isStale(e);
    }
  }

  /**
   * The generation stamp of the replica that a DataNode has. It may be newer than the file's,
   * because a recovery is under way.
   *
   * @param dataNode "ip:port" of the DataNode
   * @throws IOException when it does not answer, or has no replica that counts
   */
  public static long stamp(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    return paths(handle, files.dataNode(handle, dataNode), conf).getBlock().getGenerationStamp();
  }

  /**
   * Whether a DataNode has a replica under the stamp that counts. Of an open log segment, only the
   * DataNodes of the members that served last have such a one.
   *
   * @param dataNode "ip:port" of the DataNode
   * @throws IOException when it does not answer
   */
  public static boolean counts(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    return presence(handle, dataNode, files, conf) == Presence.THERE
        && stamp(handle, dataNode, files, conf) == handle.located().getBlock().getGenerationStamp();
  }

  /** What a DataNode has of a file. */
  public enum Presence {
    THERE,
    /** A replica with an older stamp than the file: a recovery went on without it. */
    LEFT_BEHIND,
    ABSENT
  }

  /**
   * Asks a DataNode, on whatever machine, what it has.
   *
   * @param dataNode "ip:port" of the DataNode
   * @throws IOException when it does not answer
   */
  public static Presence presence(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    try {
      paths(handle, info, conf);
      return Presence.THERE;
    } catch (RemoteException e) {
      if (isStale(e)) {
        return Presence.LEFT_BEHIND;
      }
      if (e.getClassName().equals(ReplicaNotFoundException.class.getName())) {
        return Presence.ABSENT;
      }
      throw e;
    }
  }

  private static boolean isStale(RemoteException e) {
    return String.valueOf(e.getMessage()).contains("generation stamp");
  }

  /**
   * Opens a replica like {@link #open(BlockHandle, String, VolumeFiles, Configuration)}, but past
   * the page cache if the file system can do that. Then reads come from the disk and take no memory
   * from others. Reads must begin at a multiple of {@link #DIRECT_UNIT}, into a buffer whose
   * address and room are multiples of it.
   *
   * @return also empty if the replica's file is gone
   */
  public static Optional<LocalReplicaReader> openUncached(
      BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    try {
      return ifThere(
          () -> {
            BlockLocalPathInfo paths = paths(handle, info, conf);
            return openUncached(Path.of(paths.getBlockPath()), Path.of(paths.getMetaPath()));
          });
    } catch (NoSuchFileException gone) {
      return Optional.empty();
    } catch (RemoteException e) {
      if (isMissed(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Whether the DataNode itself says that the file is missing. */
  private static boolean isMissed(RemoteException e) {
    return e.getClassName().equals(FileNotFoundException.class.getName());
  }

  /**
   * @param sums the DataNode's file of checksums, which need not exist
   */
  static LocalReplicaReader openUncached(Path file, Path sums) throws IOException {
    FileChannel data = openUncached(file);
    try {
      return new LocalReplicaReader(
          data, Files.exists(sums) ? FileChannel.open(sums, StandardOpenOption.READ) : null);
    } catch (IOException failed) {
      data.close();
      throw failed;
    }
  }

  private static FileChannel openUncached(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
    } catch (NoSuchFileException gone) {
      throw gone;
    } catch (IOException | UnsupportedOperationException cannot) {
      LOG.debug("{} is read through the page cache: {}", file, cannot.toString());
      return FileChannel.open(file, StandardOpenOption.READ);
    }
  }

  private interface Asking<T> {
    T get() throws IOException;
  }

  private static <T> Optional<T> ifThere(Asking<T> asking) throws IOException {
    try {
      return Optional.of(asking.get());
    } catch (RemoteException e) {
      if (isStale(e) || e.getClassName().equals(ReplicaNotFoundException.class.getName())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static BlockLocalPathInfo paths(
      BlockHandle handle, DatanodeInfo dataNode, Configuration conf) throws IOException {
    // This proxy is made without the located block. With it, the call would come from a user named
    // after the block, who is not allowed.
    ClientDatanodeProtocol proxy = DataNodeRpc.shared(dataNode, conf);
    return Repeatable.call(
        () ->
            proxy.getBlockLocalPathInfo(
                handle.located().getBlock(), handle.located().getBlockToken()));
  }

  private static Path blockFile(BlockHandle handle, DatanodeInfo dataNode, Configuration conf)
      throws IOException {
    return Path.of(paths(handle, dataNode, conf).getBlockPath());
  }

  /**
   * Whether the DataNode's own checksums of these bytes are right. Remote readers and HDFS's copies
   * check them. A reader that was not opened uncached does not know them and returns true.
   *
   * @param bytes the remaining bytes are checked; they end at a multiple of {@link #DIRECT_UNIT} or
   *     at the end of the file
   * @param from the position of the first remaining byte in the replica, a multiple of {@link
   *     #DIRECT_UNIT}
   */
  public boolean sumsAreRight(ByteBuffer bytes, long from) {
    if (cached != null) {
      return true;
    }
    if (sums == null) {
      return false;
    }
    try {
      int header = Short.BYTES + DataChecksum.getChecksumHeaderSize();
      DataChecksum kind = DataChecksum.newDataChecksum(readSums(0, header).array(), Short.BYTES);
      int chunks =
          (bytes.remaining() + kind.getBytesPerChecksum() - 1) / kind.getBytesPerChecksum();
      ByteBuffer expected =
          readSums(
              header + from / kind.getBytesPerChecksum() * kind.getChecksumSize(),
              chunks * kind.getChecksumSize());
      kind.verifyChunkedSums(bytes.duplicate(), expected, "", from);
      return true;
    } catch (IOException | IllegalArgumentException wrong) {
      return false;
    }
  }

  private ByteBuffer readSums(long from, int length) throws IOException {
    ByteBuffer some = ByteBuffer.allocate(length);
    while (some.hasRemaining()) {
      if (sums.read(some, from + some.position()) < 0) {
        throw new EOFException("the file of checksums ends before " + (from + length));
      }
    }
    return some.flip();
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    return file.read(into, position);
  }

  @Override
  public boolean readAtOnce(ByteBuffer into, long position) {
    return cached != null && cached.read(into, position);
  }

  @Override
  public long length() throws IOException {
    return file.size();
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public void close() throws IOException {
    if (cached != null) {
      cached.close();
    }
    if (sums != null) {
      sums.close();
    }
    file.close();
  }
}
