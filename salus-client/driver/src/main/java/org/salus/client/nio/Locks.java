package org.salus.client.nio;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.salus.client.Volume;

/**
 * The locks on parts of volumes. A volume has one writer, so no other process can have one: a lock
 * is granted unless this process has it already. Thread-safe.
 */
final class Locks {
  private static final Map<Volume, List<Lock>> HELD = new HashMap<>();

  private Locks() {}

  /** A lock; positions count from the volume's beginning in the table only. */
  private static final class Lock extends FileLock {
    private final Window window;
    private volatile boolean held = true;

    Lock(FileChannel by, Window window, long position, long size, boolean shared) {
      super(by, position, size, shared);
      this.window = window;
    }

    Lock(AsynchronousFileChannel by, Window window, long position, long size, boolean shared) {
      super(by, position, size, shared);
      this.window = window;
    }

    boolean overlaps(Lock other) {
      return begin() < other.end() && other.begin() < end();
    }

    private long begin() {
      return plus(window.offset(), position());
    }

    /** A lock that begins inside its window does not reach beyond it. */
    private long end() {
      long end = plus(position(), size());
      return plus(window.offset(), position() < window.size() ? Math.min(end, window.size()) : end);
    }

    private static long plus(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }

    @Override
    public boolean isValid() {
      return held && acquiredBy().isOpen();
    }

    @Override
    public void release() throws IOException {
      if (!acquiredBy().isOpen()) {
        throw new ClosedChannelException();
      }
      forget(this);
    }
  }

  static FileLock take(FileChannel by, Window window, long position, long size, boolean shared)
      throws ClosedChannelException {
    return take(window, new Lock(by, window, position, size, shared));
  }

  static FileLock take(
      AsynchronousFileChannel by, Window window, long position, long size, boolean shared)
      throws ClosedChannelException {
    return take(window, new Lock(by, window, position, size, shared));
  }

  private static FileLock take(Window window, Lock lock) throws ClosedChannelException {
    synchronized (HELD) {
      List<Lock> held = HELD.computeIfAbsent(window.volume(), v -> new ArrayList<>());
      if (held.stream().anyMatch(lock::overlaps)) {
        throw new OverlappingFileLockException();
      }
      held.add(lock);
    }
    if (!lock.acquiredBy().isOpen()) { // its close may not have seen the lock
      forget(lock);
      throw new ClosedChannelException();
    }
    return lock;
  }

  private static void forget(Lock lock) {
    lock.held = false;
    remove(lock.window.volume(), held -> held == lock);
  }

  /** Forgets all locks of a channel that is closed. */
  static void closed(Channel by, Window window) {
    remove(window.volume(), held -> held.acquiredBy() == by);
  }

  private static void remove(Volume volume, Function<Lock, Boolean> which) {
    synchronized (HELD) {
      HELD.computeIfPresent(
          volume,
          (v, held) -> {
            held.removeIf(which::apply);
            return held.isEmpty() ? null : held;
          });
    }
  }
}
