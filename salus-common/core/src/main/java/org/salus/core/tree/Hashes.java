package org.salus.core.tree;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/** SHA-256 as the trees use it (paper §4.3). Not thread-safe. */
public final class Hashes {
  /** Bytes of a hash. */
  public static final int BYTES = 32;

  private static final byte[] ZERO = new byte[BYTES];
  private static final byte NODE = 1;
  private static final byte VOLUME = 2;

  private final MessageDigest sha;

  public Hashes() {
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The leaf hash of a block's bytes; the buffer's position stays. */
  public byte[] leaf(ByteBuffer block) {
    sha.update(block.duplicate());
    return sha.digest();
  }

  /** Writes the parent of two hashes that stand at {@code left} and {@code left + 32}. */
  void node(byte[] hashes, int left, byte[] to, int at) {
    if (isZero(hashes, left, 2 * BYTES)) {
      Arrays.fill(to, at, at + BYTES, (byte) 0);
      return;
    }
    sha.update(NODE);
    sha.update(hashes, left, 2 * BYTES);
    try {
      sha.digest(to, at, BYTES);
    } catch (DigestException e) {
      throw new IllegalStateException("32 bytes hold a SHA-256", e);
    }
  }

  /** The volume root over the regions' roots in order; zeros if all are. */
  public byte[] volume(List<byte[]> regionRoots) {
    if (regionRoots.stream().allMatch(Hashes::isZero)) {
      return zero();
    }
    sha.update(VOLUME);
    regionRoots.forEach(sha::update);
    return sha.digest();
  }

  /** The root of a page from its children alone. */
  public byte[] root(byte[] children) {
    byte[] level = children.clone();
    for (int n = children.length / BYTES; n > 1; n /= 2) {
      for (int i = 0; i < n / 2; i++) {
        node(level, 2 * i * BYTES, level, i * BYTES);
      }
    }
    return Arrays.copyOf(level, BYTES);
  }

  public static byte[] zero() {
    return ZERO.clone();
  }

  public static boolean isZero(byte[] hash) {
    return isZero(hash, 0, hash.length);
  }

  /** Whether {@code length} bytes from {@code from} on are zeros. */
  public static boolean isZero(byte[] b, int from, int length) {
    for (int i = from; i < from + length; i++) {
      if (b[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
