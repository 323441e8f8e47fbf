package org.salus.benchmarks.faults.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each damage changes the file that it is done to, and checksums fit when they shall. */
class ReplicaDamageTest {
  private static final int SIZE = 100_001;
  private static final int CHUNK = 512;

  @TempDir Path dir;

  private Path block;
  private Path other;
  private byte[] before;

  @BeforeEach
  void makeFiles() throws Exception {
    block = dir.resolve("blk_77");
    other = dir.resolve("blk_78");
    before = new byte[SIZE];
    new Random(3).nextBytes(before);
    Files.write(block, before);
    byte[] more = new byte[SIZE];
    new Random(4).nextBytes(more);
    Files.write(other, more);
    Files.write(dir.resolve("blk_77_1001.meta"), meta(before));
  }

  private static byte[] meta(byte[] data) {
    int chunks = (data.length + CHUNK - 1) / CHUNK;
    ByteBuffer m =
        ByteBuffer.allocate(7 + 4 * chunks).putShort((short) 1).put((byte) 2).putInt(CHUNK);
    for (int i = 0; i < chunks; i++) {
      CRC32C crc = new CRC32C();
      crc.update(data, i * CHUNK, Math.min(CHUNK, data.length - i * CHUNK));
      m.putInt((int) crc.getValue());
    }
    return m.array();
  }

  @ParameterizedTest
  @EnumSource(ReplicaDamage.class)
  void changesWhatIsThere(ReplicaDamage damage) throws Exception {
    for (ReplicaDamage.Place place : ReplicaDamage.Place.values()) {
      makeFiles();
      damage.apply(block, other, place, false);
      boolean same =
          Files.exists(block)
              && Arrays.equals(Files.readAllBytes(block), before)
              && Arrays.equals(Files.readAllBytes(dir.resolve("blk_77_1001.meta")), meta(before));
      assertThat(same).as("%s at %s left everything as it was", damage, place).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ReplicaDamage.class,
      names = {"ZEROS", "JUNK", "ONE_BIT", "MISDIRECTED", "TRUNCATED"})
  void checksumsFitTheDamageWhenTheyShall(ReplicaDamage damage) throws Exception {
    damage.apply(block, other, ReplicaDamage.Place.BODY, true);
    assertThat(Files.readAllBytes(dir.resolve("blk_77_1001.meta")))
        .isEqualTo(meta(Files.readAllBytes(block)));
  }

  @Test
  void checksumsDoNotFitOtherwise() throws Exception {
    ReplicaDamage.ONE_BIT.apply(block, other, ReplicaDamage.Place.BODY, false);
    assertThat(Files.readAllBytes(dir.resolve("blk_77_1001.meta")))
        .isEqualTo(meta(before))
        .isNotEqualTo(meta(Files.readAllBytes(block)));
  }
}
