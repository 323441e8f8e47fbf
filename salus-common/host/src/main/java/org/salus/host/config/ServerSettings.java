package org.salus.host.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The settings of a server. Sizes are in bytes. Immutable. */
public record ServerSettings(
    String dataNode,
    int port,
    int segmentsLiveMax,
    int loops,
    long scrubRate,
    Duration scrubInterval) {
  private static final Setting<String> DATA_NODE =
      Setting.text(
          "salus.server.datanode",
          "",
          "Data port of the DataNode on the server's machine, as host:port. Empty: port 9866 of the server's own host.");

  /** The port on which clients and other servers reach a server. */
  public static final Setting<Integer> PORT =
      Setting.count(
          "salus.server.port",
          "16040",
          0,
          65_535,
          "Port of the server for clients and other servers, at the address at which HBase's region server listens. 0: any"
              + " free port, for several servers on one host.");

  private static final Setting<Integer> LIVE =
      Setting.count(
          "salus.segments.live.max",
          "8",
          2,
          1024,
          "Most log segments of a region that wait for their checkpoint. At this number writes wait.");
  private static final Setting<Integer> LOOPS =
      Setting.count(
          "salus.server.loops",
          "cores",
          1,
          1024,
          "Number of a server's event loops; 'cores' means one for each core.");
  private static final Setting<Long> SCRUB_RATE =
      Setting.size(
          "salus.scrub.rate",
          "20m",
          0,
          "Most bytes a second that the scrub of a server reads. 0: no passes; the scrub then checks only files of a region"
              + " that answered wrongly and files in doubt.");
  private static final Setting<Duration> SCRUB_INTERVAL =
      Setting.duration(
          "salus.scrub.interval",
          "24h",
          Duration.ofMillis(100),
          "Shortest time from the beginning of one scrub pass over all replicas to the beginning of the next.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL =
      List.of(DATA_NODE, PORT, LIVE, LOOPS, SCRUB_RATE, SCRUB_INTERVAL);

  /** Reads the group. */
  public static ServerSettings from(Map<String, String> values) {
    return new ServerSettings(
        DATA_NODE.read(values),
        PORT.read(values),
        LIVE.read(values),
        LOOPS.read(values),
        SCRUB_RATE.read(values),
        SCRUB_INTERVAL.read(values));
  }
}
