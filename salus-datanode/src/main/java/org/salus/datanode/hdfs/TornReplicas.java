package org.salus.datanode.hdfs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs replicas that were being written at a power cut. A file system may keep a file's new
 * length, and HDFS's file of checksums, while the bytes themselves never came to the disk. A
 * DataNode that starts drops the last chunk if it does not match its checksum, but keeps torn
 * chunks before it. HDFS's recovery then makes them part of the finished file, which nobody can
 * read. If that file is the log of the HBase master, no master starts.
 *
 * <p>This class drops all torn chunks at the end. Synced bytes are before them. The only exception
 * is bytes that share the first torn chunk with unsynced ones, and HDFS loses those in any case.
 */
final class TornReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(TornReplicas.class);
  private static final String LOCK = "in_use.lock";

  private TornReplicas() {}

  /**
   * Cuts the replicas in a directory of a DataNode, unless the DataNode runs. Files that cannot be
   * read are left to the DataNode. It can do without a replica, and also without a disk if so
   * configured.
   */
  static void cut(Path storage) {
    if (!Files.isDirectory(storage)) {
      return;
    }
    try (FileChannel lock =
            FileChannel.open(
                storage.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = lock.tryLock()) {
      if (held != null) {
        for (Path sums : unfinished(storage)) {
          cutIfReadable(sums);
        }
      }
    } catch (OverlappingFileLockException runsInThisProcess) {
      return;
    } catch (IOException | DirectoryIteratorException broken) {
      LOG.warn("the replicas in {} are not looked at: {}", storage, broken.toString());
    }
  }

  /** Returns the checksum files of the replicas that were being written. */
  private static List<Path> unfinished(Path storage) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path pool : list(storage.resolve("current"), "BP-*")) {
      found.addAll(list(pool.resolve("current").resolve("rbw"), "blk_*.meta"));
    }
    return found;
  }

  private static List<Path> list(Path directory, String glob) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
      List<Path> all = new ArrayList<>();
      files.forEach(all::add);
      return all;
    }
  }

  private static void cutIfReadable(Path sums) {
    try {
      cutReplica(sums);
    } catch (IOException damaged) {
      LOG.warn("the replica of {} cannot be read: {}", sums, damaged.toString());
    }
  }

  /**
   * Cuts one replica.
   *
   * @param sums the file of checksums; its name is the data file's with stamp and extension
   */
  private static void cutReplica(Path sums) throws IOException {
    String name = sums.getFileName().toString();
    Path data = sums.resolveSibling(name.substring(0, name.lastIndexOf('_')));
    if (!Files.exists(data) || Files.size(sums) < BlockMetadataHeader.getHeaderSize()) {
      return; // HDFS takes this replica for empty
    }
    try (RandomAccessFile bytes = new RandomAccessFile(data.toFile(), "rw");
        RandomAccessFile checksums = new RandomAccessFile(sums.toFile(), "r")) {
      DataChecksum checksum = BlockMetadataHeader.readHeader(checksums).getChecksum();
      long had = bytes.length();
      long whole = wholeUntil(bytes.getChannel(), checksums.getChannel(), checksum);
      if (whole < had) {
        bytes.setLength(whole);
        bytes.getFD().sync();
        LOG.warn(
            "{} was torn by a power cut, its last {} bytes do not match their checksums: cut to {}",
            data,
            had - whole,
            whole);
      }
    }
  }

  /** Returns the end, in bytes, of the last chunk that matches its checksum. */
  private static long wholeUntil(FileChannel bytes, FileChannel sums, DataChecksum checksum)
      throws IOException {
    int size = checksum.getBytesPerChecksum();
    int sumSize = checksum.getChecksumSize();
    if (sumSize == 0) {
      return bytes.size(); // this cluster has no checksums
    }
    int header = BlockMetadataHeader.getHeaderSize();
    long end = Math.min(bytes.size(), (sums.size() - header) / sumSize * size);
    while (end > 0) {
      long start = (end - 1) / size * size;
      ByteBuffer chunk = read(bytes, start, (int) (end - start));
      ByteBuffer sum = read(sums, header + start / size * sumSize, sumSize);
      try {
        checksum.verifyChunkedSums(chunk, sum, "", start);
        return end;
      } catch (ChecksumException torn) {
        end = start;
      }
    }
    return 0;
  }

  private static ByteBuffer read(FileChannel from, long position, int count) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(count);
    while (b.hasRemaining()) {
      if (from.read(b, position + b.position()) < 0) {
        throw new IOException("shorter than it was");
      }
    }
    return b.flip();
  }
}
