package org.salus.regionserver.hdfs;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open files by key, each open once. Thread-safe, and no thread waits while another opens a file.
 * After {@link #end} no file stays open.
 */
final class OpenFiles<K, V extends AutoCloseable> {
  private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

  /** Opens a file that is not open yet. */
  @FunctionalInterface
  interface Opening<V, E extends Exception> {
    V open() throws E;
  }

  private final Map<K, V> open = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /** Returns the open file, or null. */
  V get(K key) {
    return open.get(key);
  }

  /** Returns the file and opens it if necessary; null after {@link #end}. */
  <E extends Exception> V get(K key, Opening<V, E> opening) throws E {
    V known = open.get(key);
    if (known == null) {
      V made = opening.open();
      known = open.putIfAbsent(key, made);
      if (known == null) {
        known = made;
      } else {
        close(made);
      }
    }
    if (ended) {
      closeAll(k -> true); // end() may have missed the file that was just opened
      return null;
    }
    return known;
  }

  void close(K key) {
    V known = open.remove(key);
    if (known != null) {
      close(known);
    }
  }

  void closeAll(Predicate<K> which) {
    List.copyOf(open.keySet()).stream().filter(which).forEach(this::close);
  }

  void end() {
    ended = true;
    closeAll(k -> true);
  }

  boolean hasEnded() {
    return ended;
  }

  static void close(AutoCloseable file) {
    try {
      file.close();
    } catch (Exception failed) {
      LOG.info("closing a replica: {}", failed.toString());
    }
  }
}
