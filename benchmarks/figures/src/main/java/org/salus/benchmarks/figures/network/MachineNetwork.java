package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A network that {@link NetworkMaker} made, as any process can use it: it runs commands on the
 * machines and counts their bytes. Immutable.
 *
 * @param prefix of the names of their namespaces
 * @param machines their names, of letters and digits
 */
public record MachineNetwork(String prefix, List<String> machines) {
  static final String SWITCH = "switch";

  /** A command that runs the rest of its line on a machine, and becomes that process. */
  public List<String> on(String machine) {
    if (!machines.contains(machine)) {
      throw new IllegalArgumentException("no machine " + machine);
    }
    return List.of("ip", "netns", "exec", namespace(machine));
  }

  String namespace(String name) {
    return prefix + name;
  }

  /** The bytes that went over the network since it was made. */
  public Traffic traffic() throws IOException {
    LinkBytes links =
        LinkBytes.parse(
            Iproute.run("ip", "netns", "exec", namespace(SWITCH), "cat", "/proc/net/dev"));
    Map<String, Long> sent = new TreeMap<>();
    Map<String, Long> received = new TreeMap<>();
    for (int i = 0; i < machines.size(); i++) {
      sent.put(machines.get(i), links.received().get(NetworkMaker.FROM + i));
      received.put(machines.get(i), links.sent().get(NetworkMaker.TO + i));
    }
    return new Traffic(sent, received, links.sent().get(NetworkMaker.TRUNK));
  }
}
