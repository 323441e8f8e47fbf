package org.salus.host.zk;

import java.util.Set;
import java.util.TreeSet;

/**
 * The servers that operators drain: members leave them, and none is put there. Each is noted by its
 * host, or by its name if only one server of a host is meant. Calls block for at most a few
 * seconds. Thread-safe.
 */
public final class DrainedServers {
  private static final String PATH = "/drained";

  private final ClusterNodes nodes;

  DrainedServers(ClusterNodes nodes) {
    this.nodes = nodes;
  }

  /** Notes a server, or all servers of a host. Does nothing when they are noted already. */
  public void add(String server) throws ClusterStoreException {
    ClusterNodes.run(
        path(server),
        () -> {
          nodes.ensure(path(server));
          return null;
        });
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
