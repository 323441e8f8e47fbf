package org.salus.client.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.salus.client.Volume;

/**
 * A part of a volume as a file of fixed size. Positions are bytes from its beginning. Thread-safe.
 *
 * @param offset where it begins in the volume, in bytes
 * @param size in bytes
 */
record Window(Volume volume, long offset, long size) {
  Window {
    Objects.requireNonNull(volume, "volume");
    Objects.checkFromIndexSize(offset, size, volume.size());
  }

  static void requirePosition(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("position " + position);
    }
  }

  static void requireWritable(ByteBuffer dst) {
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException("nothing can be read into a read-only buffer");
    }
  }

  /** The number of bytes that a read gets; -1 at the end. */
  int readable(long position, ByteBuffer dst) {
    requirePosition(position);
    requireWritable(dst);
    return position >= size ? -1 : (int) Math.min(dst.remaining(), size - position);
  }

  /**
   * The number of bytes that a write of at most {@code most} may have.
   *
   * @throws IOException when there is room for none of them
   */
  int writable(long position, int most) throws IOException {
    requirePosition(position);
    int n = (int) Math.min(most, Math.max(0, size - position));
    if (n == 0 && most > 0) {
      throw new IOException(
          "end of the window of volume " + volume.name() + " at " + size + " bytes");
    }
    return n;
  }

  /** Reads {@code n} bytes behind the buffer's position, which stays. */
  CompletableFuture<Void> read(long position, ByteBuffer dst, int n) {
    return volume.read(offset + position, dst.slice(dst.position(), n));
  }

  /** Writes {@code n} bytes behind the buffer's position, which stays. */
  CompletableFuture<Void> write(long position, ByteBuffer src, int n) {
    return volume.write(offset + position, src.slice(src.position(), n));
  }

  /**
   * Refuses to cut the window.
   *
   * @throws UnsupportedOperationException when {@code newSize} is less than its size
   */
  void requireNotCut(long newSize) {
    if (newSize < 0) {
      throw new IllegalArgumentException("size " + newSize);
    }
    if (newSize < size) {
      throw new UnsupportedOperationException("the size of a volume and of its windows is fixed");
    }
  }

  /** What a channel throws for a request that failed. */
  static IOException failure(Throwable failed) {
    Throwable why =
        failed instanceof CompletionException && failed.getCause() != null
            ? failed.getCause()
            : failed;
    return new IOException(why.getMessage(), why);
  }
}
