package org.salus.benchmarks.figures.network;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes that went over a network, with the headers of Ethernet and above. Immutable.
 *
 * @param sent bytes that each machine's link carried to the switch, by its name
 * @param received bytes that each machine's link carried from the switch, by its name
 * @param shared bytes of all machines together that went through the switch
 */
public record Traffic(Map<String, Long> sent, Map<String, Long> received, long shared) {
  /** The bytes since an earlier state of the same network. */
  public Traffic since(Traffic before) {
    return new Traffic(
        since(sent, before.sent), since(received, before.received), shared - before.shared);
  }

  private static Map<String, Long> since(Map<String, Long> now, Map<String, Long> before) {
    Map<String, Long> all = new TreeMap<>();
    now.forEach((machine, bytes) -> all.put(machine, bytes - before.get(machine)));
    return all;
  }

  /** The bytes that these machines sent together. */
  public long sentBy(Collection<String> machines) {
    return machines.stream().mapToLong(sent::get).sum();
  }
}
