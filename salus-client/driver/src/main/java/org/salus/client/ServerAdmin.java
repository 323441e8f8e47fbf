package org.salus.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.salus.core.Lanes;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.DrainedServers;

/**
 * Shows the servers of a cluster, and drains those that an operator wants to take away: their
 * members leave one by one, as others take their places, and none is put there. Calls block.
 * Failures are {@link SalusException}s. Thread-safe.
 */
public final class ServerAdmin {
  private final ClusterStore store;
  private final StoreFailures.Call<ServerList> look;

  /**
   * @param look reads the servers and what needs them
   */
  ServerAdmin(ClusterStore store, StoreFailures.Call<ServerList> look) {
    this.store = store;
    this.look = look;
  }

  /** All servers that run, that regions need, or that are drained. */
  public ServerList list() {
    return StoreFailures.typed(store, "", look);
  }

  /**
   * Begins to drain the servers of a host, also those that start there later. Their members leave
   * while volumes are used. {@link #list} shows how many regions still need them.
   *
   * @param host a host, or one server by its name
   * @param force whether to do so although fewer servers are left than a region has members.
   *     Members then stay until another server runs
   * @return the servers that run there
   * @throws SalusException.NotFound when no server is known there
   * @throws SalusException.Unavailable when too few servers are left and {@code force} is false
   */
  public List<ServerInfo> drain(String host, boolean force) {
    ServerList all = list();
    List<ServerInfo> there = there(all, host);
    if (there.isEmpty()) {
      throw new SalusException.NotFound(
          "no server of " + host + " is known; there are " + names(all.servers()));
    }
    if (!force) {
      requireEnough(all, host);
    }
    StoreFailures.typed(
        store,
        "",
        () -> {
          store.drained().add(host, beside(there));
          return null;
        });
    if (!force && !all.drained().contains(host)) {
      requireStillEnough(host);
    }
    return there;
  }

  private static List<ServerInfo> there(ServerList all, String host) {
    return all.servers().stream().filter(s -> DrainedServers.isAbout(host, s.name())).toList();
  }

  private static Map<String, String> beside(List<ServerInfo> servers) {
    return servers.stream()
        .filter(ServerInfo::running)
        .collect(Collectors.toMap(ServerInfo::name, ServerInfo::dataNode));
  }

  /** Somebody else may have begun to drain another host at the same time. */
  private void requireStillEnough(String host) {
    try {
      requireEnough(list(), host);
    } catch (SalusException tooFew) {
      try {
        StoreFailures.typed(store, "", () -> store.drained().remove(host));
      } catch (SalusException stays) {
        tooFew.addSuppressed(stays);
      }
      throw tooFew;
    }
  }

  private static void requireEnough(ServerList all, String host) {
    List<ServerInfo> left =
        all.servers().stream()
            .filter(s -> s.running() && !s.drained() && !DrainedServers.isAbout(host, s.name()))
            .toList();
    if (left.size() < Lanes.COUNT) {
      throw new SalusException.Unavailable(
          "only "
              + names(left)
              + " would be left, and a region has "
              + Lanes.COUNT
              + " members: start another server with its DataNode first",
          null);
    }
  }

  private static List<String> names(List<ServerInfo> servers) {
    return servers.stream().map(ServerInfo::name).toList();
  }

  /**
   * Ends the draining of a host or of one server: it may have members again.
   *
   * @param host as it was given to {@link #drain}
   * @return what keeps servers of it drained all the same: their host, or names of single servers
   * @throws SalusException.NotFound when it is not drained
   */
  public Set<String> undrain(String host) {
    boolean was = StoreFailures.typed(store, "", () -> store.drained().remove(host));
    Set<String> notes = StoreFailures.typed(store, "", () -> store.drained().all());
    if (!was) {
      throw new SalusException.NotFound(
          host + " is not drained; " + (notes.isEmpty() ? "no server is" : "drained are " + notes));
    }
    return ofOneHost(host, notes);
  }

  private static Set<String> ofOneHost(String host, Collection<String> notes) {
    Set<String> same = new TreeSet<>(notes);
    same.removeIf(n -> !DrainedServers.isAbout(host, n) && !DrainedServers.isAbout(n, host));
    return same;
  }
}
