package org.salus.host;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Resources that are closed in the reverse order of their registration, such as the parts of a
 * server. Thread-safe.
 */
public final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private boolean closed;

  /**
   * Registers a resource. It is closed before all that were registered earlier.
   *
   * @return the resource
   * @throws IllegalStateException when this is closed; the resource stays as it is
   */
  public synchronized <T extends AutoCloseable> T register(T resource) {
    if (closed) {
      throw new IllegalStateException("these resources are closed");
    }
    open.push(resource);
    return resource;
  }

  /**
   * Closes all resources, the last registered first. Goes on when one of them fails. Does nothing
   * when called again. An interrupt stays set.
   *
   * @throws IOException when some have failed, after all were asked to close: the first failure, or
   *     an exception with it as the cause. The other failures are suppressed in it.
   */
  @Override
  public void close() throws IOException {
    IOException first = null;
    for (AutoCloseable next = take(); next != null; next = take()) {
      try {
        next.close();
      } catch (Exception failed) {
        if (failed instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        if (first == null) {
          first = failed instanceof IOException e ? e : new IOException(failed.toString(), failed);
        } else {
          first.addSuppressed(failed);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private synchronized AutoCloseable take() {
    closed = true;
    return open.poll();
  }
}
