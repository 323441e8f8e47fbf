package org.salus.benchmarks.figures.recovery;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.salus.benchmarks.peers.Pauses;
import org.salus.benchmarks.report.FigureReport;
import org.salus.benchmarks.report.FigureReport.Figure;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ScrubRecord;

/**
 * Measures how fast servers check their replicas, and what that costs concurrent writers. For one
 * thread.
 */
public final class ScrubBench {
  static final Figure SPEED =
      new Figure(
          "scrub_speed",
          "replicas checked a second of the region servers' CPU",
          "MB/s",
          Goal.atLeast(200));
  static final Figure WRITES_ALONE =
      new Figure("writes_alone", "random 4 KiB writes, no checks", "/s", null);
  static final Figure WRITES_BESIDE =
      new Figure(
          "writes_beside", "random 4 KiB writes beside checks at the default rate", "/s", null);
  static final Figure LOSS =
      new Figure("writes_lost", "of the writes lost to checks, pair by pair", "%", Goal.atMost(5));

  private static final String VOLUME = "disk";
  private static final int PIECE = 1 << 20;
  private static final Map<String, String> NEVER = Map.of("salus.scrub.rate", "0");

  /** The settings to scrub without pause, at the default rate. */
  private static final Map<String, String> ALWAYS = Map.of("salus.scrub.interval", "100ms");

  private static final Map<String, String> AS_FAST_AS_CAN_BE =
      Map.of("salus.scrub.interval", "100ms", "salus.scrub.rate", "100g");
  private static final Duration ZOOKEEPER_PATIENCE = Duration.ofSeconds(30);
  private static final Duration ZOOKEEPER_SESSION = Duration.ofSeconds(10);

  /**
   * The size of a run. {@code bytes} are written first. Before each measurement, fresh servers are
   * written for {@code warmUp} seconds, while their code is compiled and checks begin. Each
   * measurement takes {@code seconds} seconds.
   */
  public record Scale(int repeat, long bytes, int warmUp, int seconds) {
    public static final Scale FULL = new Scale(5, 4L << 30, 60, 30);
    public static final Scale QUICK = new Scale(2, 512L << 20, 20, 10);
  }

  private final MeasuredCluster cluster;
  private final Scale scale;
  private final FigureReport report = new FigureReport();

  /**
   * @param progress learns in a few words what is being done
   */
  public ScrubBench(LocalCluster cluster, Scale scale, Consumer<String> progress) {
    this.cluster = new MeasuredCluster(cluster, progress);
    this.scale = scale;
  }

  /** Starts the cluster and measures. The cluster is left running. */
  public FigureReport run() throws IOException {
    cluster.start();
    cluster.say("writing " + (scale.bytes() >> 20) + " MiB");
    try (SalusClient client = cluster.connect("64m")) {
      client.create(VOLUME, scale.bytes(), SalusClient.CreateOptions.DEFAULT);
      try (Volume volume = client.open(VOLUME)) {
        MeasuredCluster.fill(volume, scale.bytes(), PIECE, piece -> piece * PIECE);
      }
    }
    speed();
    overwrite();
    for (int i = 0; i < scale.repeat(); i++) {
      cluster.say(
          String.format("writes without and beside checks, %d of %d", i + 1, scale.repeat()));
      boolean aloneFirst = i % 2 == 0;
      double first = writes(aloneFirst);
      double second = writes(!aloneFirst);
      double alone = aloneFirst ? first : second;
      double beside = aloneFirst ? second : first;
      note(LOSS, (alone - beside) / alone * 100);
    }
    return report;
  }

  private void note(Figure figure, double value) {
    report.add(figure, value);
    cluster.say(figure.label() + ": " + figure.text(value));
  }

  /** Measures checks while nobody writes. The servers' other work counts as part of the checks. */
  private void speed() throws IOException {
    cluster.say("starting the cluster again, to check as fast as can be");
    cluster.restart(AS_FAST_AS_CAN_BE);
    try (ClusterStore store = store()) {
      for (int i = 0; i < scale.repeat(); i++) {
        long bytes = nextBytes(store);
        double cpu = cpuSeconds();
        Pauses.pause(TimeUnit.SECONDS.toNanos(scale.seconds()));
        note(SPEED, (nextBytes(store) - bytes) / 1e6 / (cpuSeconds() - cpu));
      }
    }
  }

  /**
   * Makes the first random writes to blocks that were written in order. They are slower than all
   * later ones and do not count.
   */
  private void overwrite() throws IOException {
    cluster.say("overwriting, which does not count");
    try (SalusClient client = cluster.connect("64m");
        Volume volume = client.open(VOLUME);
        WriteLoad load = load(client, volume)) {
      Pauses.pause(TimeUnit.SECONDS.toNanos(scale.warmUp()));
      cluster.say(String.format("it made %.0f writes a second", load.perSecond()));
    }
  }

  private static WriteLoad load(SalusClient client, Volume volume) throws IOException {
    return WriteLoad.everywhere(volume, MeasuredCluster.shape(client.info(VOLUME)));
  }

  /** Random writes a second. */
  private double writes(boolean alone) throws IOException {
    cluster.restart(alone ? NEVER : ALWAYS);
    try (ClusterStore store = store();
        SalusClient client = cluster.connect("64m");
        Volume volume = client.open(VOLUME)) {
      cluster.calm(client, VOLUME); // servers that start one after the other are replaced first
      try (WriteLoad load = load(client, volume)) {
        Pauses.pause(TimeUnit.SECONDS.toNanos(scale.warmUp()));
        long before = bytes(store);
        load.mark();
        Pauses.pause(TimeUnit.SECONDS.toNanos(scale.seconds()));
        double writes = load.perSecond();
        if (!alone && bytes(store) == before) {
          throw new IOException("no replica was checked while writes were measured");
        }
        note(alone ? WRITES_ALONE : WRITES_BESIDE, writes);
        return writes;
      }
    }
  }

  private ClusterStore store() throws IOException {
    return ClusterStore.connect(
        cluster.processes().zookeeper(), ZOOKEEPER_PATIENCE, ZOOKEEPER_SESSION);
  }

  /** The bytes that the servers report as checked so far. */
  private static long bytes(ClusterStore store) throws IOException {
    return store.reports().scrubs().values().stream().mapToLong(ScrubRecord::bytes).sum();
  }

  /**
   * Like {@link #bytes}, but just after a server's next report. Servers report every few seconds.
   */
  private long nextBytes(ClusterStore store) throws IOException {
    long before = bytes(store);
    cluster.await("servers check their replicas", () -> bytes(store) != before);
    return bytes(store);
  }

  /** The processor seconds of all region servers since their start. */
  private double cpuSeconds() throws IOException {
    double seconds = 0;
    for (int i = 0; i < MeasuredCluster.SERVERS; i++) {
      DaemonProcess server = cluster.processes().daemon(Daemon.REGIONSERVER, i);
      Duration cpu =
          server
              .process()
              .flatMap(p -> p.info().totalCpuDuration())
              .orElseThrow(() -> new IOException("no CPU time of " + server.name()));
      seconds += cpu.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
    }
    return seconds;
  }
}
