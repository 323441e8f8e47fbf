package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * The bytes of each version of each block. They come from a seed, so nothing needs to be
 * remembered. Immutable.
 */
public record Contents(long seed) {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  /** The bytes of a version of a block; no other version or block has them. */
  byte[] of(long block, int version) {
    byte[] content = new byte[BlockStoreUnderTest.BLOCK];
    long state = mix(mix(seed + block * GAMMA) + version);
    for (int at = 0; at < content.length; at += Long.BYTES) {
      state += GAMMA;
      LONG.set(content, at, mix(state));
    }
    return content;
  }

  /** SplitMix64: what it yields cannot be compressed, and costs less than a microsecond a block. */
  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return b ^ (b >>> 31);
  }

  /**
   * @throws IOException if these are not the bytes of that version of that block
   */
  void require(byte[] found, long block, int version) throws IOException {
    if (!Arrays.equals(found, of(block, version))) {
      boolean stale = version > 1 && Arrays.equals(found, of(block, version - 1));
      throw new IOException(
          "block "
              + block
              + " is not as its write "
              + version
              + " left it, but "
              + (stale ? "as the one before" : "something else")
              + " (seed "
              + seed
              + ")");
    }
  }
}
