package org.salus.common.config;

import java.util.List;
import java.util.Map;

/** What a server reads; sizes in bytes. Immutable. */
public record ServerSettings(String dataNode, int segmentsLiveMax, int loops) {
  private static final Setting<String> DATA_NODE = Setting.text("salus.server.datanode", "",
      "Data port of the DataNode on the server's host, as ip:port; empty: port 9866 of the server's own address.");
  private static final Setting<Integer> LIVE = Setting.count("salus.segments.live.max", "8", 2, 1024,
      "Most log segments of a region that wait for their checkpoint; then writes wait.");
  private static final Setting<Integer> LOOPS = Setting.count("salus.server.loops", "cores", 1, 1024,
      "Event loops of a server; 'cores' means one for each core.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL = List.of(DATA_NODE, LIVE, LOOPS);

  /** Reads the group. */
  public static ServerSettings from(Map<String, String> values) {
    return new ServerSettings(DATA_NODE.read(values), LIVE.read(values), LOOPS.read(values));
  }
}
