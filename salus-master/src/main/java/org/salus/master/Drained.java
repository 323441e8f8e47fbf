package org.salus.master;

import java.util.Set;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DrainedServers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers that operators drain, as they were at the last look. Nobody may ask before the first
 * look: a server that is drained would seem to be as good as any. For one thread.
 */
final class Drained {
  private static final Logger LOG = LoggerFactory.getLogger(Drained.class);

  private final DrainedServers servers;

  /** Null before the first look. */
  private Set<String> notes;

  Drained(DrainedServers servers) {
    this.servers = servers;
  }

  /**
   * Reads the notes.
   *
   * @throws ClusterStoreException when they cannot be read; those of the last look stay
   */
  void look() throws ClusterStoreException {
    Set<String> now = servers.all();
    if (!now.equals(notes == null ? Set.of() : notes)) {
      LOG.info("operators drain {}", now.isEmpty() ? "no server" : now);
    }
    notes = now;
  }

  boolean contains(String server) {
    if (notes == null) {
      throw new IllegalStateException("asked before the first look");
    }
    return notes.stream().anyMatch(note -> DrainedServers.isAbout(note, server));
  }
}
