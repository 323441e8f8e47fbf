package org.salus.datanode.hdfs.replica;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the page cache has of a file, and nothing else: a read with Linux' {@code RWF_NOWAIT} fails
 * where it would have to wait for the disk, so that an event loop may do it. Where the system has
 * no such reads, every one fails. Thread-safe.
 */
final class PageCacheFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageCacheFile.class);
  private static final int O_RDONLY_CLOEXEC = 0x80000;
  private static final int RWF_NOWAIT = 8;
  private static final int CLOSED = -1;
  private static final boolean AVAILABLE = isAvailable();

  /** Of the C library. */
  private static final class C {
    static {
      Native.register(C.class, "c");
    }

    static native int open(String path, int flags);

    static native long preadv2(int fd, Pointer vectors, int count, long offset, int flags);

    static native int close(int fd);
  }

  /** Memory outside of the heap into which a thread reads. */
  private static final class Window {
    static final int BYTES = 64 << 10;
    static final ThreadLocal<Window> OWN = ThreadLocal.withInitial(Window::new);

    private final Memory memory = new Memory(BYTES);
    final ByteBuffer bytes = memory.getByteBuffer(0, BYTES);

    /** One {@code struct iovec}: address and length. */
    private final Memory vector = new Memory(2L * Long.BYTES);

    private final ByteBuffer fields =
        vector.getByteBuffer(0, vector.size()).order(ByteOrder.nativeOrder());

    Window() {
      fields.putLong(0, Pointer.nativeValue(memory));
    }

    /**
     * The number of bytes, 0 at the end of the file, or -1 when the next is not in the page cache.
     */
    int read(int fd, long position, int length) {
      fields.putLong(Long.BYTES, length);
      return (int) C.preadv2(fd, vector, 1, position, RWF_NOWAIT);
    }
  }

  private int fd;

  private PageCacheFile(int fd) {
    this.fd = fd;
  }

  private static boolean isAvailable() {
    try {
      return Native.POINTER_SIZE == Long.BYTES && C.close(CLOSED) == -1;
    } catch (Error none) { // of linking, or JNA's own about a library that does not fit
      LOG.info(
          "reads of what the page cache has wake a thread each, for the C library cannot be called: {}",
          none.toString());
      return false;
    }
  }

  /** Opens a file that exists; where it is gone every read fails. */
  static PageCacheFile open(Path file) {
    return new PageCacheFile(AVAILABLE ? C.open(file.toString(), O_RDONLY_CLOEXEC) : CLOSED);
  }

  /**
   * Fills the buffer from {@code position} on; false, and anything in the buffer, when not all of
   * it is there.
   */
  synchronized boolean read(ByteBuffer into, long position) {
    if (fd < 0) {
      return false; // another file may have its number by now
    }
    Window window = Window.OWN.get();
    for (long at = position; into.hasRemaining(); ) {
      int n = window.read(fd, at, Math.min(into.remaining(), Window.BYTES));
      if (n <= 0) {
        return false;
      }
      into.put(window.bytes.slice(0, n));
      at += n;
    }
    return true;
  }

  @Override
  public synchronized void close() {
    if (fd >= 0) {
      C.close(fd);
      fd = CLOSED;
    }
  }
}
