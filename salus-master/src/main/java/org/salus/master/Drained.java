package org.salus.master;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DrainedServers;
import org.salus.host.zk.ServerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers that operators drain, as they were at the last look. Nobody may ask before the first
 * look: a server that is drained would seem to be as good as any. For one thread.
 */
final class Drained {
  private static final Logger LOG = LoggerFactory.getLogger(Drained.class);

  private final DrainedServers servers;

  /** The DataNodes of each note, by the servers beside them; null before the first look. */
  private Map<String, Map<String, String>> notes;

  Drained(DrainedServers servers) {
    this.servers = servers;
  }

  /**
   * Reads the notes, and adds to them the DataNodes of servers that run.
   *
   * @param running all servers that are registered
   * @throws ClusterStoreException when they cannot be read; those of the last look stay
   */
  void look(Map<String, ServerRecord> running) throws ClusterStoreException {
    Map<String, Map<String, String>> now = servers.notes();
    Set<String> before = notes == null ? Set.of() : notes.keySet();
    if (!now.keySet().equals(before)) {
      LOG.info("operators drain {}", now.isEmpty() ? "no server" : now.keySet());
    }
    for (Map.Entry<String, Map<String, String>> note : now.entrySet()) {
      Map<String, String> beside = new TreeMap<>();
      running.forEach(
          (server, record) -> {
            if (DrainedServers.isAbout(note.getKey(), server)) {
              beside.put(server, record.dataNode());
            }
          });
      if (!note.getValue().entrySet().containsAll(beside.entrySet())) {
        servers.addDataNodes(note.getKey(), beside);
        beside.forEach(note.getValue()::put);
      }
    }
    notes = now;
  }

  boolean contains(String server) {
    return known().keySet().stream().anyMatch(note -> DrainedServers.isAbout(note, server));
  }

  /** The DataNodes beside these servers, also beside those that have stopped since. */
  Set<String> dataNodes() {
    return known().values().stream()
        .flatMap(m -> m.values().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private Map<String, Map<String, String>> known() {
    if (notes == null) {
      throw new IllegalStateException("asked before the first look");
    }
    return notes;
  }
}
