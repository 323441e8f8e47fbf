package org.salus.regionserver.hbase;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.datanode.ReplicaReader;

/**
 * Checkpoints as HFiles: the same content gives the same bytes. A row for each page (0, page, 0) with its entry, after it a
 * row for each of its blocks (0, page, slot + 1) with the data, at the end a row for each page (1, page) with its root. One
 * per server, for its caches. Thread-safe.
 */
public final class HFileFormat implements AutoCloseable {
  static final byte[] FAMILY = {'c'};
  private static final byte[] NO_QUALIFIER = {};
  private static final ByteBuffer NO_VALUE = ByteBuffer.allocate(0);
  private static final int DATA_BLOCK = 4 << 10;
  private static final int CHECKSUM_CHUNK = 16 << 10;
  private static final long INDEX_CACHE = 16 << 20;
  private static final int INDEX_BLOCK = 64 << 10;
  /** Any constant: HFiles hold their time of creation. */
  private static final long CREATED = 1;

  private final Configuration conf;
  private final BlockCache indexes;
  private final CacheConfig cache;
  private final PageCache pages = new PageCache();
  /** HBase wants one, though it reads from the stream that it is given. */
  private final HFileSystem unused;

  public HFileFormat(Configuration base) throws IOException {
    conf = new Configuration(base);
    conf.setBoolean(CacheConfig.CACHE_DATA_ON_READ_KEY, false);
    conf.setBoolean(CacheConfig.PREFETCH_BLOCKS_ON_OPEN_KEY, false);
    indexes = new LruBlockCache(INDEX_CACHE, INDEX_BLOCK);
    cache = new CacheConfig(conf, indexes);
    unused = new HFileSystem(FileSystem.getLocal(conf));
  }

  /** A row's cell, with the remaining bytes of {@code value}, which has an array. */
  static KeyValue cell(byte[] row, ByteBuffer value) {
    return new KeyValue(row, 0, row.length, FAMILY, 0, FAMILY.length, NO_QUALIFIER, 0, 0, CREATED, KeyValue.Type.Put,
        value.array(), value.arrayOffset() + value.position(), value.remaining());
  }

  /** What a row is looked up by. */
  static KeyValue key(byte[] row) {
    return cell(row, NO_VALUE);
  }

  static byte[] pageRow(long page) {
    return blockRow(page, -1);
  }

  static byte[] blockRow(long page, int slot) {
    return ByteBuffer.allocate(10).put((byte) 0).putLong(page).put((byte) (slot + 1)).array();
  }

  static byte[] rootRow(long page) {
    return ByteBuffer.allocate(9).put((byte) 1).putLong(page).array();
  }

  /** Writes a checkpoint's content; in the caller's thread. */
  public interface Content {
    void writeTo(CheckpointSink sink) throws UnreadableException;
  }

  /** Writes a whole file to {@code out}, which stays open. */
  public void write(OutputStream out, Content content) throws IOException, UnreadableException {
    HFileContext context = new HFileContextBuilder().withBlockSize(DATA_BLOCK).withCompression(Compression.Algorithm.NONE)
        .withChecksumType(ChecksumType.CRC32C).withBytesPerCheckSum(CHECKSUM_CHUNK).withHBaseCheckSum(true).withIncludesMvcc(false)
        .withIncludesTags(false).withCreateTime(CREATED).build();
    FSDataOutputStream stream = new FSDataOutputStream(out, null);
    try (HFile.Writer writer = HFile.getWriterFactory(conf, CacheConfig.DISABLED).withOutputStream(stream).withFileContext(context).create()) {
      content.writeTo(new HFileSink(writer));
    }
  }

  /**
   * Opens a replica of a checkpoint's file; closes it when that fails.
   *
   * @param name unique among the files of the server
   */
  public CheckpointReader open(String name, ReplicaReader replica) throws UnreadableException {
    try {
      ReaderContext context = new ReaderContextBuilder().withFilePath(new Path("/" + name))
          .withInputStreamWrapper(new VerifiedInput(ReplicaInput.stream(replica))).withFileSize(replica.length())
          .withFileSystem(unused).withReaderType(ReaderContext.ReaderType.PREAD).build();
      HFileInfo info = new HFileInfo(context, conf);
      HFile.Reader reader = HFile.createReader(context, info, cache, conf);
      info.initMetaAndIndex(reader);
      return new HFileCheckpoint(reader, replica, conf, name, pages);
    } catch (IOException | RuntimeException damaged) { // HBase reports damage in both ways
      try {
        replica.close();
      } catch (IOException failed) {
        damaged.addSuppressed(failed);
      }
      throw new UnreadableException(name + " is no readable HFile: " + reason(damaged), damaged);
    }
  }

  /** What HBase says, and what it says of why: that a file is of another version, for one. */
  private static String reason(Exception damaged) {
    return damaged.getMessage() + (damaged.getCause() == null ? "" : ": " + damaged.getCause().getMessage());
  }

  @Override
  public void close() {
    indexes.shutdown();
  }
}
