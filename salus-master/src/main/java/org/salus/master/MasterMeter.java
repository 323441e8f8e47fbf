package org.salus.master;

import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.salus.core.Reason;
import org.salus.host.metrics.Counter;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

/** Counts what the master sees of the whole cluster. Thread-safe. */
final class MasterMeter implements AutoCloseable {
  private final Metrics.Group group;
  private final Counter rounds;
  private volatile int volumes;
  private volatile int fitting;
  private volatile int strange;
  private volatile int answering;
  private volatile Reason.Kind trouble;

  /**
   * @param room the bytes that HDFS has room for, or not a number while that is unknown
   */
  MasterMeter(Metrics metrics, DoubleSupplier room) {
    group = metrics.group();
    group.clock();
    group.gauge(
        "salus_hdfs_room_bytes",
        "Bytes for which the DataNodes in service have room, for all replicas together",
        Labels.NONE,
        room);
    rounds =
        group.counter(
            "salus_master_rounds_total", "Rounds over all volumes that were done", Labels.NONE);
    group.gauge("salus_volumes", "Volumes that have records", Labels.NONE, () -> volumes);
    servers("answering", () -> answering);
    servers("silent", () -> Math.max(0, fitting - answering));
    servers("strange", () -> strange);
    for (Reason.Kind kind : Reason.Kind.values()) {
      group.gauge(
          "salus_trouble",
          "1 while something outside of Salus keeps volumes from what they should do",
          Labels.of("kind", kind.name().toLowerCase(Locale.ROOT)),
          () -> trouble == kind ? 1 : 0);
    }
  }

  private void servers(String state, DoubleSupplier value) {
    group.gauge(
        "salus_servers",
        "Registered servers: they answer, are silent, or have another version or secret",
        Labels.of("state", state),
        value);
  }

  void sees(int allVolumes, int fittingServers, int strangeServers) {
    volumes = allVolumes;
    fitting = fittingServers;
    strange = strangeServers;
  }

  void trouble(Optional<Reason> now) {
    trouble = now.map(Reason::kind).orElse(null);
  }

  void answering(int servers) {
    answering = servers;
  }

  void done() {
    rounds.increment();
  }

  @Override
  public void close() {
    group.close();
  }
}
