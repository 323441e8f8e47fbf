package org.salus.client;

import java.util.List;
import java.util.Set;
import org.salus.host.zk.DrainedServers;

/**
 * The servers of a cluster, as one look finds them.
 *
 * @param servers all that run, that regions need, or that are drained, sorted by name
 * @param drained what operators drain: hosts, or single servers by their names
 * @param unknown why regions may need more servers than was found, in words, for each volume of
 *     which not all records can be read; empty if all numbers of regions are known
 */
public record ServerList(List<ServerInfo> servers, Set<String> drained, List<String> unknown) {
  /**
   * How many regions need the servers of a host, as far as is known.
   *
   * @param host a host, or one server by its name
   */
  public int regions(String host) {
    return servers.stream()
        .filter(s -> DrainedServers.isAbout(host, s.name()))
        .mapToInt(ServerInfo::regions)
        .sum();
  }

  /** Whether it is certain that no region needs the servers of a host. */
  public boolean isFree(String host) {
    return unknown.isEmpty() && regions(host) == 0;
  }
}
