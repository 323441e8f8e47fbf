package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** HDFS's checksum file of a block: a header of 7 bytes, then a CRC32C for every 512 bytes. */
final class BlockMeta {
  static final int HEADER = 7;
  static final int CHUNK = 512;

  private BlockMeta() {}

  /** Writes the checksums of the bytes that the block file has. */
  static void rewrite(Path block) throws IOException {
    Path meta;
    try (Stream<Path> beside = Files.list(block.getParent())) {
      meta =
          beside
              .filter(f -> f.getFileName().toString().matches(block.getFileName() + "_\\d+\\.meta"))
              .findFirst()
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(block);
    ByteBuffer sums = ByteBuffer.wrap(Files.readAllBytes(meta));
    if (sums.get(2) != 2 || sums.getInt(3) != CHUNK) {
      throw new IOException(meta + " has no CRC32C of 512 bytes");
    }
    sums.position(HEADER).put(sums(bytes));
    Files.write(meta, sums.array());
  }

  /** The header of a file with a CRC32C for every 512 bytes. */
  static ByteBuffer header() {
    return ByteBuffer.allocate(HEADER).putShort((short) 1).put((byte) 2).putInt(CHUNK).flip();
  }

  /** The checksums of these bytes. */
  static ByteBuffer sums(byte[] bytes) {
    int chunks = (bytes.length + CHUNK - 1) / CHUNK;
    ByteBuffer sums = ByteBuffer.allocate(chunks * Integer.BYTES);
    for (int at = 0; at < bytes.length; at += CHUNK) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, Math.min(CHUNK, bytes.length - at));
      sums.putInt((int) crc.getValue());
    }
    return sums.flip();
  }
}
