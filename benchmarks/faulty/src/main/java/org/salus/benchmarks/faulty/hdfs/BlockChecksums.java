package org.salus.benchmarks.faulty.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** The file in which a DataNode keeps the checksums of an HDFS block. */
public final class BlockChecksums {
  /** Bytes before the first checksum. */
  public static final int HEADER = 7;

  private static final int TYPE = 2;
  private static final byte CRC32C_TYPE = 2;

  private BlockChecksums() {}

  /** The file beside a block's own. */
  public static Path file(Path block) throws IOException {
    try (Stream<Path> files = Files.list(block.getParent())) {
      String prefix = block.getFileName() + "_";
      return files
          .filter(f -> f.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow(() -> new IOException("no checksums beside " + block));
    }
  }

  /** Makes the checksums fit the bytes that the block has, so that HDFS finds nothing wrong. */
  public static void fit(Path block) throws IOException {
    Path file = file(block);
    ByteBuffer header = ByteBuffer.wrap(Files.readAllBytes(file), 0, HEADER);
    byte type = header.get(TYPE);
    int chunk = header.getInt(TYPE + 1);
    byte[] data = Files.readAllBytes(block);
    int chunks = (data.length + chunk - 1) / chunk;
    ByteBuffer sums = ByteBuffer.allocate(HEADER + chunks * Integer.BYTES).put(header);
    for (int at = 0; at < data.length; at += chunk) {
      Checksum sum = type == CRC32C_TYPE ? new CRC32C() : new CRC32();
      sum.update(data, at, Math.min(chunk, data.length - at));
      sums.putInt((int) sum.getValue());
    }
    Files.write(file, sums.array());
  }
}
