package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The servers that operators drain: members leave them, and none is put there. Each is noted by its
 * host, or by its name if only one server of a host is meant, with the DataNodes beside it: these
 * are known also when the server has stopped. Calls block for at most a few seconds. Thread-safe.
 */
public final class DrainedServers {
  private static final String PATH = "/drained";

  private final ClusterNodes nodes;

  DrainedServers(ClusterNodes nodes) {
    this.nodes = nodes;
  }

  /**
   * @param dataNodes "ip:port" of each server's DataNode, by the server's name
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Note(Map<String, String> dataNodes) {
    static final Note EMPTY = new Note(Map.of());

    static Note parse(byte[] json) throws IOException {
      Note read = json.length == 0 ? EMPTY : ClusterNodes.parse(json, Note.class);
      return read == null || read.dataNodes == null ? EMPTY : read;
    }

    Note with(Map<String, String> more) {
      Map<String, String> all = new TreeMap<>(dataNodes);
      all.putAll(more);
      return new Note(all);
    }
  }

  /**
   * Notes a server, or all servers of a host. If they are noted already, only the DataNodes are
   * added.
   *
   * @param dataNodes "ip:port" of each of these servers' DataNodes as far as it is known, by the
   *     server's name
   */
  public void add(String server, Map<String, String> dataNodes) throws ClusterStoreException {
    try {
      ClusterNodes.run(
          path(server),
          () ->
              nodes
                  .client()
                  .create()
                  .creatingParentsIfNeeded()
                  .forPath(path(server), ClusterNodes.json(new Note(dataNodes))));
    } catch (ClusterStoreException.Exists noted) {
      addDataNodes(server, dataNodes);
    }
  }

  /** Adds to a note what DataNodes its servers have. Does nothing without such a note. */
  public void addDataNodes(String server, Map<String, String> dataNodes)
      throws ClusterStoreException {
    while (true) {
      Optional<Versioned<Note>> now = nodes.read(path(server), path(server), Note::parse);
      if (now.isEmpty()
          || now.get().value().dataNodes.entrySet().containsAll(dataNodes.entrySet())) {
        return;
      }
      Note next = now.get().value().with(dataNodes);
      try {
        ClusterNodes.run(
            path(server),
            () ->
                nodes
                    .client()
                    .setData()
                    .withVersion(now.get().version())
                    .forPath(path(server), ClusterNodes.json(next)));
        return;
      } catch (ClusterStoreException.Conflict | ClusterStoreException.Missing changed) {
        // somebody else was faster; look again
      }
    }
  }

  /**
   * Removes a note.
   *
   * @return whether there was one
   */
  public boolean remove(String server) throws ClusterStoreException {
    try {
      ClusterNodes.run(path(server), () -> nodes.client().delete().forPath(path(server)));
    } catch (ClusterStoreException.Missing gone) {
      return false;
    }
    return true;
  }

  private static String path(String server) {
    return PATH + "/" + ClusterNodes.checked(server);
  }

  /** The noted hosts and servers, sorted. */
  public Set<String> all() throws ClusterStoreException {
    return new TreeSet<>(nodes.children(PATH));
  }

  /** What is noted, sorted: the DataNodes of each note by the servers beside them. */
  public Map<String, Map<String, String>> notes() throws ClusterStoreException {
    Map<String, Map<String, String>> notes = new TreeMap<>();
    for (Map.Entry<String, ClusterNodes.Found> note : nodes.readAll(PATH).entrySet()) {
      String path = path(note.getKey());
      byte[] data = note.getValue().data();
      Note read = ClusterNodes.run(path, () -> Note.parse(data));
      notes.put(note.getKey(), new TreeMap<>(read.dataNodes));
    }
    return notes;
  }

  /** Calls back, now and after each change, with the noted hosts and servers. */
  public Watch watch(Watch.Callback<Set<String>> callback) {
    return nodes.watch(PATH, this::all, callback);
  }

  /** Whether a note is about a server. */
  public static boolean isAbout(String note, String server) {
    return note.equals(server) || note.equals(host(server));
  }

  /** The host of a server, by whose name and port it is named. */
  private static String host(String server) {
    int port = server.lastIndexOf(':');
    return port < 0 ? server : server.substring(0, port);
  }
}
