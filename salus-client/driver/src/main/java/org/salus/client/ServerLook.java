package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Signer;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DrainedServers;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;

/**
 * One look at the servers of a cluster and at the regions that need them. It believes only records
 * that the master has signed. For one thread.
 */
final class ServerLook {
  private final ClusterStore store;
  private final Signer signer;

  /** How many regions need each server. */
  private final Map<String, Integer> regions = new TreeMap<>();

  /** The servers that run or are drained, by the DataNodes beside them. */
  private final Map<String, String> beside = new TreeMap<>();

  private final List<String> unknown = new ArrayList<>();

  private ServerLook(ClusterStore store, Signer signer) {
    this.store = store;
    this.signer = signer;
  }

  static ServerList read(ClusterStore store, Signer signer) throws ClusterStoreException {
    return new ServerLook(store, signer).read();
  }

  private ServerList read() throws ClusterStoreException {
    Map<String, ServerRecord> running = store.servers();
    running.forEach((node, server) -> beside.put(server.dataNode(), node));
    Map<String, Map<String, String>> noted = store.drained().notes();
    noted.values().forEach(m -> m.forEach((node, dataNode) -> beside.putIfAbsent(dataNode, node)));
    Set<String> notes = noted.keySet();
    for (String volume : store.volumes()) {
      count(volume);
    }
    Set<String> names = new TreeSet<>(running.keySet());
    names.addAll(regions.keySet());
    notes.stream()
        .filter(note -> names.stream().noneMatch(n -> DrainedServers.isAbout(note, n)))
        .toList()
        .forEach(names::add);
    List<ServerInfo> servers =
        names.stream()
            .map(
                n ->
                    new ServerInfo(
                        n,
                        running.containsKey(n) ? running.get(n).dataNode() : "",
                        running.containsKey(n),
                        notes.stream().anyMatch(note -> DrainedServers.isAbout(note, n)),
                        regions.getOrDefault(n, 0)))
            .toList();
    return new ServerList(servers, notes, List.copyOf(unknown));
  }

  private void count(String name) throws ClusterStoreException {
    try {
      VolumeRecord volume = store.volume(name);
      if (volume.state() == VolumeRecord.State.RESTORING) {
        unknown.add("volume " + name + " is being repaired");
      } else if (volume.state() != VolumeRecord.State.DELETED) {
        count(name, volume);
      }
    } catch (ClusterStoreException.Missing deleted) {
      return; // nothing needs servers for it
    } catch (ClusterStoreException.Unreachable failed) {
      throw failed;
    } catch (ClusterStoreException unreadable) {
      unknown.add("volume " + name + ": " + unreadable.getMessage());
    }
  }

  private void count(String name, VolumeRecord volume) throws ClusterStoreException {
    for (int r = 0; r < volume.spec().regionCount(); r++) {
      Optional<Versioned<RrsRecord>> now = VolumeDirectory.read(store, volume.spec(), r, signer);
      if (now.isPresent()) {
        needed(now.get().value()).forEach(n -> regions.merge(n, 1, Integer::sum));
      } else if (volume.state() == VolumeRecord.State.ACTIVE) {
        unknown.add(
            "region " + r + " of volume " + name + " has no record that the master has signed");
        return; // one reason for each volume
      }
    }
  }

  /**
   * The servers of the members, of who gets ready, and of those whose data members must read; and
   * the servers beside the DataNodes that have their replicas.
   */
  private Set<String> needed(RrsRecord rrs) {
    List<Member> members = new ArrayList<>(rrs.members());
    if (rrs.state() != RrsRecord.State.SERVING) {
      members.addAll(rrs.holding());
    }
    if (rrs.joining() != null) {
      members.add(rrs.joining().member());
    }
    Set<String> needed = new TreeSet<>();
    for (Member m : members) {
      needed.add(m.node());
      needed.add(beside.getOrDefault(m.dataNode(), m.node()));
    }
    return needed;
  }
}
