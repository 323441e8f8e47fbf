package org.salus.nbd;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.salus.client.Volume;
import org.salus.client.VolumeStatistics;
import org.salus.host.metrics.Counter;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Latency;
import org.salus.host.metrics.Metrics;

/** Counts and measures the requests of a bridge's clients. Thread-safe, without locks. */
public final class NbdMeter {
  private static final Map<Integer, String> COMMANDS =
      Map.of(
          Nbd.CMD_READ,
          "read",
          Nbd.CMD_WRITE,
          "write",
          Nbd.CMD_FLUSH,
          "flush",
          Nbd.CMD_TRIM,
          "trim",
          Nbd.CMD_WRITE_ZEROES,
          "write_zeroes",
          Nbd.CMD_BLOCK_STATUS,
          "block_status");

  /** The commands whose requests carry or write data. The others only name a range. */
  private static final Set<Integer> MOVING =
      Set.of(Nbd.CMD_READ, Nbd.CMD_WRITE, Nbd.CMD_WRITE_ZEROES);

  private final Metrics.Group group;
  private final Map<Integer, Command> commands = new HashMap<>();
  private final Command other;

  private record Command(Counter requests, Counter bytes, Counter errors, Latency time) {}

  public NbdMeter(Metrics metrics) {
    group = metrics.group();
    COMMANDS.forEach((code, name) -> commands.put(code, command(name)));
    other = command("other");
  }

  private Command command(String name) {
    Labels of = Labels.of("command", name);
    return new Command(
        group.counter("salus_nbd_requests_total", "Requests that were answered", of),
        group.counter("salus_nbd_bytes_total", "Bytes of requests that were done", of),
        group.counter("salus_nbd_errors_total", "Requests that were answered by an error", of),
        group.latency(
            "salus_nbd_request_seconds", "Time in which a volume has done a request", of));
  }

  private Command of(Request r) {
    return commands.getOrDefault(r.command(), other);
  }

  /** Takes note of a request that is done; {@code began} is of {@link System#nanoTime}. */
  public void done(Request r, long began) {
    Command c = of(r);
    c.requests.increment();
    if (MOVING.contains(r.command())) {
      c.bytes.add(r.bytes());
    }
    c.time.since(began);
  }

  /** Takes note of a request that is answered by an error. */
  public void failed(Request r) {
    of(r).requests.increment();
    of(r).errors.increment();
  }

  /** Shows what a server holds. */
  public void server(DoubleSupplier connections, DoubleSupplier heldBytes) {
    group.clock();
    group.gauge("salus_nbd_connections", "Open connections", Labels.NONE, connections);
    group.gauge(
        "salus_nbd_held_bytes",
        "Bytes of memory that requests under way hold",
        Labels.NONE,
        heldBytes);
  }

  /** Shows what a volume's handle counts, while it is offered under this name. */
  public void volume(String name, Exports exports) {
    Labels of = Labels.of("volume", name);
    group.gauge(
        "salus_volume_outstanding_requests",
        "Requests that were called and have not ended",
        of,
        () -> count(name, exports, VolumeStatistics::outstandingRequests));
    group.gauge(
        "salus_volume_outstanding_bytes",
        "Bytes of memory that these requests hold, as estimated",
        of,
        () -> count(name, exports, VolumeStatistics::outstandingBytes));
    group.gauge(
        "salus_volume_oldest_request_seconds",
        "Time since the oldest of these requests was called, or 0",
        of,
        () -> count(name, exports, s -> s.oldestOutstanding().toMillis()) / 1e3);
    group.counter(
        "salus_volume_slow_requests_total",
        "Requests to a volume that ended more than a second after their call",
        of,
        () -> count(name, exports, VolumeStatistics::slow));
    done(name, exports, "read", VolumeStatistics::reads);
    done(name, exports, "write", VolumeStatistics::writes);
    done(name, exports, "zeroes", VolumeStatistics::zeroings);
    done(name, exports, "flush", VolumeStatistics::flushes);
    bytes(name, exports, "read", VolumeStatistics::readBytes);
    bytes(name, exports, "write", VolumeStatistics::writtenBytes);
    bytes(name, exports, "zeroes", VolumeStatistics::zeroedBytes);
    group.counter(
        "salus_volume_failures_total",
        "Requests to a volume that failed",
        of,
        () -> count(name, exports, VolumeStatistics::failures));
  }

  private void done(
      String name, Exports exports, String kind, ToLongFunction<VolumeStatistics> what) {
    group.counter(
        "salus_volume_requests_total",
        "Requests that a volume has done since it was opened here",
        Labels.of("volume", name).with("kind", kind),
        () -> count(name, exports, what));
  }

  private void bytes(
      String name, Exports exports, String kind, ToLongFunction<VolumeStatistics> what) {
    group.counter(
        "salus_volume_bytes_total",
        "Bytes of requests that a volume has done since it was opened here",
        Labels.of("volume", name).with("kind", kind),
        () -> count(name, exports, what));
  }

  private static long count(String name, Exports exports, ToLongFunction<VolumeStatistics> what) {
    Volume volume = exports.find(name);
    return volume == null ? 0 : what.applyAsLong(volume.statistics());
  }
}
