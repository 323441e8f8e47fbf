package org.salus.host;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What was opened one after the other and is to be closed in the other order: the parts of a
 * server, or those that a failed start has left. Thread-safe.
 */
public final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private boolean closed;

  /**
   * Takes charge of a resource, which is closed before all that were registered earlier.
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
   * Closes all resources, the last registered first, and goes on where one of them fails. Does
   * nothing when called again. An interrupt is kept.
   *
   * @throws IOException after all have been asked to close, when some have failed: the first
   *     failure, or one with it as the cause; the others are suppressed in it
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
