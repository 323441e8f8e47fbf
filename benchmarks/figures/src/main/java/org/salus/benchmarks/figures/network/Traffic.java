package org.salus.benchmarks.figures.network;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes that went over a network, their heads down to Ethernet's included. Immutable.
 *
 * @param sent of each host, by its name: what its own link carried to the switch
 * @param received of each host, likewise
 * @param shared what went through the switch, of all hosts together
 */
public record Traffic(Map<String, Long> sent, Map<String, Long> received, long shared) {
  /** What came after an earlier state of the same network. */
  public Traffic since(Traffic before) {
    return new Traffic(
        since(sent, before.sent), since(received, before.received), shared - before.shared);
  }

  private static Map<String, Long> since(Map<String, Long> now, Map<String, Long> before) {
    Map<String, Long> all = new TreeMap<>();
    now.forEach((host, bytes) -> all.put(host, bytes - before.get(host)));
    return all;
  }

  /** What these hosts sent, all of them together. */
  public long sentBy(Collection<String> hosts) {
    return hosts.stream().mapToLong(sent::get).sum();
  }
}
