package org.salus.master;

import java.util.Set;
import org.salus.host.zk.DrainedServers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers that operators drain, as last heard. Thread-safe. */
final class Drained {
  private static final Logger LOG = LoggerFactory.getLogger(Drained.class);

  private final Runnable wake;
  private volatile Set<String> notes = Set.of();

  /**
   * @param wake runs after a change
   */
  Drained(Runnable wake) {
    this.wake = wake;
  }

  /** ZooKeeper has these notes now. */
  void changed(Set<String> now) {
    if (!now.equals(notes)) {
      LOG.info("operators drain {}", now.isEmpty() ? "no server" : now);
      notes = now;
      wake.run();
    }
  }

  boolean contains(String server) {
    return notes.stream().anyMatch(note -> DrainedServers.isAbout(note, server));
  }
}
