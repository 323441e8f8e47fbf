package org.salus.monitor;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.salus.client.VolumeInfo;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

/**
 * Shows the health that the page shows, so that what is lost, damaged or differs raises an alert.
 * Thread-safe.
 */
public final class HealthMeter implements AutoCloseable {
  private static final List<String> STATES = List.of("healthy", "degraded", "unavailable");

  private final Metrics metrics;
  private final Map<String, Metrics.Group> groups = new HashMap<>();

  /** The volumes by name, as they were seen last; none while they are not known. */
  private volatile Map<String, VolumeInfo> volumes = Map.of();

  private boolean closed;

  public HealthMeter(Metrics metrics) {
    this.metrics = metrics;
  }

  /** Takes what was seen. */
  public synchronized void sees(ClusterState state) {
    if (closed) {
      return;
    }
    volumes =
        state.volumes().stream().collect(Collectors.toMap(VolumeInfo::name, Function.identity()));
    if (state.problem().isEmpty()) {
      for (String gone : Set.copyOf(groups.keySet())) {
        if (!volumes.containsKey(gone)) {
          groups.remove(gone).close();
        }
      }
      volumes.keySet().forEach(name -> groups.computeIfAbsent(name, this::show));
    }
  }

  private Metrics.Group show(String name) {
    Metrics.Group group = metrics.group();
    Labels of = Labels.of("volume", name);
    for (String state : STATES) {
      group.gauge(
          "salus_volume_health",
          "1 for the health that the page shows of the volume",
          of.with("state", state),
          () -> look(name, v -> v.health().equals(state) ? 1 : 0));
    }
    group.gauge(
        "salus_volume_losses",
        "Losses of acknowledged changes that nobody has accepted",
        of,
        () -> look(name, v -> v.losses().size()));
    return group;
  }

  private double look(String name, ToDoubleFunction<VolumeInfo> what) {
    VolumeInfo v = volumes.get(name);
    return v == null ? Double.NaN : what.applyAsDouble(v);
  }

  @Override
  public synchronized void close() {
    closed = true;
    groups.values().forEach(Metrics.Group::close);
    groups.clear();
  }
}
