package org.salus.monitor.hbase;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.http.InfoServer;
import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.host.DaemonThreads;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.metrics.Metrics;
import org.salus.monitor.HealthMeter;
import org.salus.monitor.VolumesView;

/** The page and the metrics of Salus at one daemon of HBase. Thread-safe. */
public final class Monitor implements AutoCloseable {
  /** The attribute of the web application that holds this. */
  static final String ATTRIBUTE = "salus.monitor";

  private static final long LOOK_SECONDS = 30;

  /** A metric that each member on a region server has. */
  private static final String HOSTED = "salus_region_epoch";

  private final VolumesView view;
  private final Metrics metrics;
  private final SummedMetrics.Shown shown;
  private final HealthMeter health;
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-monitor"));

  /** What a daemon is. */
  public enum Role {
    MASTER("Master"),
    REGION_SERVER("Region server");

    private final String words;

    Role(String words) {
      this.words = words;
    }
  }

  /**
   * A daemon.
   *
   * @param node {@code host:port}
   * @param zookeeper ZooKeeper's servers
   * @param configuration the daemon's settings
   */
  public record Daemon(
      Role role, String node, String zookeeper, Map<String, String> configuration) {}

  private Monitor(VolumesView view, Metrics metrics) {
    this.view = view;
    this.metrics = metrics;
    this.shown = SummedMetrics.show(metrics);
    this.health = new HealthMeter(metrics);
  }

  /**
   * Shows the metrics of a daemon; of the master also the health of all volumes, which it looks at
   * twice a minute. Has {@link SalusFilter} show the page, if there is one.
   *
   * @param info the daemon's info server, or null
   */
  public static Monitor start(Daemon daemon, Metrics metrics, InfoServer info) {
    Map<String, String> client = new HashMap<>();
    client.put(ClientSettings.QUORUM.key(), daemon.zookeeper());
    client.put(ClusterSettings.SECRET.key(), ClusterSettings.from(daemon.configuration()).secret());
    Monitor monitor =
        new Monitor(
            new VolumesView(
                daemon.node(),
                daemon.role().words,
                daemon.role() == Role.REGION_SERVER,
                () -> cluster(SalusClient.connect(client), daemon.role(), metrics)),
            metrics);
    if (daemon.role() == Role.MASTER) {
      monitor.looks.scheduleWithFixedDelay(
          () -> monitor.view.look().ifPresent(monitor.health::sees),
          LOOK_SECONDS,
          LOOK_SECONDS,
          TimeUnit.SECONDS);
    } else {
      monitor.looks.scheduleWithFixedDelay(
          monitor.view::rest, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }
    if (info != null) {
      info.setAttribute(ATTRIBUTE, monitor);
    }
    return monitor;
  }

  private static VolumesView.Cluster cluster(SalusClient client, Role role, Metrics metrics) {
    return new VolumesView.Cluster() {
      @Override
      public List<VolumeInfo> infos() {
        return role == Role.MASTER ? client.infos() : client.infos(hosted(metrics));
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  /** The volumes of which this server has had members. A page must not cost more than these. */
  private static Set<String> hosted(Metrics metrics) {
    return metrics.look(HOSTED).map(Metrics.Family::samples).orElse(List.of()).stream()
        .map(s -> s.labels().values().get("volume"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  VolumesView view() {
    return view;
  }

  Metrics metrics() {
    return metrics;
  }

  @Override
  public void close() {
    looks.shutdown();
    shown.close();
    view.close();
    health.close();
  }
}
