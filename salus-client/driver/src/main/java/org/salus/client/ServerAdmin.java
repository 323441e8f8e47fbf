package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Lanes;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DrainedServers;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;

/**
 * Shows the servers of a cluster, and drains those that an operator wants to take away: their
 * members leave one by one, as others take their places, and none is put there. Calls block.
 * Failures are {@link SalusException}s. Thread-safe.
 */
public final class ServerAdmin {
  private final ClusterStore store;

  ServerAdmin(ClusterStore store) {
    this.store = store;
  }

  /** All servers that run, that have members, or that are drained, sorted by name. */
  public List<ServerInfo> list() {
    return StoreFailures.typed(store, "", this::read);
  }

  private List<ServerInfo> read() throws ClusterStoreException {
    Map<String, ServerRecord> running = store.servers();
    Set<String> notes = store.drained().all();
    Map<String, Integer> regions = regions();
    Set<String> names = new TreeSet<>(running.keySet());
    names.addAll(regions.keySet());
    notes.stream()
        .filter(note -> names.stream().noneMatch(n -> DrainedServers.isAbout(note, n)))
        .toList()
        .forEach(names::add);
    return names.stream()
        .map(
            n ->
                new ServerInfo(
                    n,
                    running.containsKey(n) ? running.get(n).dataNode() : "",
                    running.containsKey(n),
                    notes.stream().anyMatch(note -> DrainedServers.isAbout(note, n)),
                    regions.getOrDefault(n, 0)))
        .toList();
  }

  /** How many regions need each server. */
  private Map<String, Integer> regions() throws ClusterStoreException {
    Map<String, Integer> regions = new TreeMap<>();
    for (String volume : store.volumes()) {
      for (Versioned<RrsRecord> rrs : records(volume)) {
        Set<String> needed = new TreeSet<>(rrs.value().nodes());
        if (rrs.value().state() != RrsRecord.State.SERVING) {
          needed.addAll(rrs.value().holders());
        }
        needed.forEach(n -> regions.merge(n, 1, Integer::sum));
      }
    }
    return regions;
  }

  /** The records of a volume's regions; none when it was deleted meanwhile. */
  private List<Versioned<RrsRecord>> records(String volume) throws ClusterStoreException {
    List<Versioned<RrsRecord>> records = new ArrayList<>();
    try {
      int count = store.volume(volume).spec().regionCount();
      for (int r = 0; r < count; r++) {
        store.rrs(volume, r).ifPresent(records::add);
      }
    } catch (ClusterStoreException.Missing deleted) {
      records.clear();
    }
    return records;
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
    List<ServerInfo> all = list();
    List<ServerInfo> there =
        all.stream().filter(s -> DrainedServers.isAbout(host, s.name())).toList();
    if (there.isEmpty()) {
      throw new SalusException.NotFound(
          "no server of " + host + " is known; there are " + names(all));
    }
    List<ServerInfo> left =
        all.stream()
            .filter(s -> s.running() && !s.drained() && !DrainedServers.isAbout(host, s.name()))
            .toList();
    if (left.size() < Lanes.COUNT && !force) {
      throw new SalusException.Unavailable(
          "only "
              + names(left)
              + " would be left, and a region has "
              + Lanes.COUNT
              + " members: start another server with its DataNode first",
          null);
    }
    StoreFailures.typed(
        store,
        "",
        () -> {
          store.drained().add(host);
          return null;
        });
    return there;
  }

  private static List<String> names(List<ServerInfo> servers) {
    return servers.stream().map(ServerInfo::name).toList();
  }

  /**
   * Ends the draining of a host or of one server: it may have members again.
   *
   * @param host as it was given to {@link #drain}
   * @throws SalusException.NotFound when it is not drained
   */
  public void undrain(String host) {
    boolean was = StoreFailures.typed(store, "", () -> store.drained().remove(host));
    if (!was) {
      Set<String> notes = StoreFailures.typed(store, "", () -> store.drained().all());
      throw new SalusException.NotFound(
          host + " is not drained; " + (notes.isEmpty() ? "no server is" : "drained are " + notes));
    }
  }
}
