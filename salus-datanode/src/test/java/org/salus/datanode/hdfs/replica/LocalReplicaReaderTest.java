package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalReplicaReaderTest {
  /** A position in bytes so large that no array could hold all checksums before it. */
  private static final long FAR = 300L << 30;

  @TempDir Path dir;

  /** Writes a file of checksums like the DataNode's: zeros, then the checksums of these bytes. */
  private Path sums(byte[] bytes, long from) throws IOException {
    Path file = dir.resolve("meta");
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      out.write(BlockMeta.header(), 0);
      out.write(BlockMeta.sums(bytes), BlockMeta.HEADER + from / BlockMeta.CHUNK * Integer.BYTES);
    }
    return file;
  }

  @Test
  void theChecksumsOfALongReplicaAreReadWhereTheyAreNeeded() throws Exception {
    byte[] bytes = new byte[LocalReplicaReader.DIRECT_UNIT];
    new Random(5).nextBytes(bytes);
    Path block = Files.createFile(dir.resolve("block"));
    try (LocalReplicaReader reader = LocalReplicaReader.openUncached(block, sums(bytes, FAR))) {
      assertThat(reader.sumsAreRight(ByteBuffer.wrap(bytes), FAR)).isTrue();
      assertThat(reader.sumsAreRight(ByteBuffer.wrap(bytes), FAR - bytes.length)).isFalse();
      assertThat(reader.sumsAreRight(ByteBuffer.wrap(bytes), FAR + bytes.length))
          .as("beyond its end")
          .isFalse();
      bytes[700] ^= 1;
      assertThat(reader.sumsAreRight(ByteBuffer.wrap(bytes), FAR)).isFalse();
    }
    try (LocalReplicaReader reader =
        LocalReplicaReader.openUncached(block, dir.resolve("nothing"))) {
      assertThat(reader.sumsAreRight(ByteBuffer.wrap(bytes), 0)).as("without checksums").isFalse();
    }
  }
}
