package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hosts that were made on this machine, seen from any process: what runs in them and what they
 * sent. Immutable.
 *
 * @param prefix of their namespaces
 * @param hosts their names: letters and digits
 */
public record MachineNetwork(String prefix, List<String> hosts) {
  static final String SWITCH = "switch";

  /** A command line that runs another on a host; the process is then that of the other. */
  public List<String> on(String host) {
    if (!hosts.contains(host)) {
      throw new IllegalArgumentException("no host " + host);
    }
    return List.of("ip", "netns", "exec", namespace(host));
  }

  String namespace(String name) {
    return prefix + name;
  }

  /** What went over it since it was made. */
  public Traffic traffic() throws IOException {
    LinkBytes links =
        LinkBytes.parse(
            Iproute.run("ip", "netns", "exec", namespace(SWITCH), "cat", "/proc/net/dev"));
    Map<String, Long> sent = new TreeMap<>();
    Map<String, Long> received = new TreeMap<>();
    for (int i = 0; i < hosts.size(); i++) {
      sent.put(hosts.get(i), links.received().get(NetworkMaker.FROM + i));
      received.put(hosts.get(i), links.sent().get(NetworkMaker.TO + i));
    }
    return new Traffic(sent, received, links.sent().get(NetworkMaker.TRUNK));
  }
}
