package org.salus.benchmarks.figures.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.benchmarks.peers.Pauses;
import org.salus.benchmarks.report.FigureReport;
import org.salus.benchmarks.report.FigureReport.Figure;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * Kills servers of a cluster of processes under a load of writes and measures the time. For one
 * thread.
 */
public final class RecoveryBench {
  static final Figure REGION_SERVER_WRITE =
      seconds(
          "region_server_write",
          "region server killed: next write in every region",
          Goal.atMost(1));
  static final Figure REGION_SERVER_WHOLE =
      seconds(
          "region_server_whole", "region server killed: three members everywhere", Goal.atMost(20));
  static final Figure REGION_SERVER_PAUSE =
      seconds("region_server_pause", "region server killed: longest pause until then", null);
  static final Figure DATANODE_WRITE =
      seconds("datanode_write", "DataNode killed: next write in every region", Goal.atMost(1));
  static final Figure DATANODE_WHOLE =
      seconds("datanode_whole", "DataNode killed: three members everywhere", Goal.atMost(20));
  static final Figure DATANODE_PAUSE =
      seconds("datanode_pause", "DataNode killed: longest pause until then", null);
  static final Figure HOST_WRITE =
      seconds("host_write", "both of a host killed: next write in every region", Goal.atMost(1));
  static final Figure HOST_WHOLE =
      seconds("host_whole", "both of a host killed: three members everywhere", Goal.atMost(20));
  static final Figure HOST_PAUSE =
      seconds("host_pause", "both of a host killed: longest pause until then", null);
  static final Figure CALM_PAUSE =
      seconds("calm_pause", "longest pause in five seconds before the master is killed", null);
  static final Figure MASTER_PAUSE =
      seconds(
          "master_pause", "active master killed: longest pause in five seconds", Goal.atMost(0.25));
  static final Figure LOG_WRITE =
      seconds(
          "log_write",
          "M0 of a region with unflushed log killed: next write in it",
          Goal.atMost(10));
  static final Figure LOG_UNFLUSHED =
      new Figure(
          "log_unflushed",
          "M0 of a region with unflushed log killed: of its log unflushed",
          "MiB",
          null);
  static final Figure START = seconds("start", "all killed: until every server runs again", null);
  static final Figure MOUNT = seconds("mount", "all killed: mount after that", Goal.atMost(15));

  private static final long LOAD_SIZE = 1L << 30;
  private static final String LARGEST_FLUSHLESS_SEGMENT = "256m";

  /**
   * The least share of the requested log that must be unflushed when M0 is killed. A smaller share
   * would make it another measurement.
   */
  private static final double UNFLUSHED_SHARE = 0.75;

  private static final long MASTER_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * The size of a run. {@code log} is the bytes of unflushed log; {@code written} is the bytes
   * written before everything is killed.
   */
  public record Scale(int repeat, int repeatLog, long log, long written) {
    public static final Scale FULL = new Scale(9, 3, 1L << 30, 10L << 30);
    public static final Scale QUICK = new Scale(3, 1, 128L << 20, 1L << 30);
  }

  /** The processes to kill, and the figures measured then. */
  private enum Kill {
    REGION_SERVER(
        List.of(Daemon.REGIONSERVER),
        REGION_SERVER_WRITE,
        REGION_SERVER_WHOLE,
        REGION_SERVER_PAUSE),
    DATANODE(List.of(Daemon.DATANODE), DATANODE_WRITE, DATANODE_WHOLE, DATANODE_PAUSE),
    HOST(List.of(Daemon.REGIONSERVER, Daemon.DATANODE), HOST_WRITE, HOST_WHOLE, HOST_PAUSE);

    final List<Daemon> roles;
    final Figure write;
    final Figure whole;
    final Figure pause;

    Kill(List<Daemon> roles, Figure write, Figure whole, Figure pause) {
      this.roles = roles;
      this.write = write;
      this.whole = whole;
      this.pause = pause;
    }
  }

  private final MeasuredCluster cluster;
  private final Scale scale;
  private final FigureReport report = new FigureReport();

  private static Figure seconds(String name, String label, Goal target) {
    return new Figure(name, label, "s", target);
  }

  /**
   * @param progress learns in a few words what is being done
   */
  public RecoveryBench(LocalCluster cluster, Scale scale, Consumer<String> progress) {
    this.cluster = new MeasuredCluster(cluster, progress);
    this.scale = scale;
  }

  /** Starts the cluster and measures; the cluster is left running. */
  public FigureReport run() throws IOException {
    cluster.start();
    try (SalusClient client = cluster.connect("64m")) {
      kills(client);
    }
    for (int i = 0; i < scale.repeatLog(); i++) {
      cluster.say(String.format("recovery of a log, %d of %d", i + 1, scale.repeatLog()));
      try (SalusClient client = cluster.connect(LARGEST_FLUSHLESS_SEGMENT)) {
        longLog(client);
      }
    }
    crash();
    return report;
  }

  /** Records a value and reports it at once, so that an aborted run leaves its results. */
  private void note(Figure figure, double seconds) {
    report.add(figure, seconds);
    cluster.say(figure.label() + ": " + figure.text(seconds));
  }

  private void kills(SalusClient client) throws IOException {
    client.create("load", LOAD_SIZE, SalusClient.CreateOptions.DEFAULT);
    VolumeSpec shape = MeasuredCluster.shape(client.info("load"));
    try (Volume volume = client.open("load");
        WriteLoad load = WriteLoad.everywhere(volume, shape)) {
      for (int i = 0; i < scale.repeat(); i++) {
        cluster.say(String.format("kills under load, %d of %d", i + 1, scale.repeat()));
        for (Kill kill : Kill.values()) {
          one(client, load, kill, (i + kill.ordinal()) % MeasuredCluster.SERVERS);
        }
        master(client, load);
      }
    }
    cluster.start(); // only a master can delete
    client.delete("load", true);
  }

  private void one(SalusClient client, WriteLoad load, Kill what, int server) throws IOException {
    cluster.start();
    cluster.calm(client, "load");
    OpeningLog log =
        new OpeningLog(cluster.processes().daemons().stream().map(DaemonProcess::log).toList());
    log.mark();
    load.mark();
    long begin = System.nanoTime();
    for (Daemon role : what.roles) {
      kill(cluster.processes().daemon(role, server));
    }
    cluster.await("writes go on", () -> load.nextEverywhere() >= 0);
    note(what.write, load.nextEverywhere());
    if (what == Kill.REGION_SERVER) {
      noteSteps(log.steps(), load.nextEverywhere());
    }
    String address = ServerAddresses.LOOPBACK.server(server) + ":";
    cluster.await(
        "every region has three members on other hosts",
        () -> MeasuredCluster.isWhole(client.info("load"), address));
    note(what.whole, secondsSince(begin));
    note(what.pause, load.longestPause());
    load.nextEverywhere();
  }

  /**
   * Records where the time of a fail-over goes.
   *
   * @param steps the longest time of each step, in seconds
   * @param whole the time of all, in seconds
   */
  private void noteSteps(Map<String, Double> steps, double whole) {
    double rest = whole;
    for (Map.Entry<String, Double> step : steps.entrySet()) {
      note(step(step.getKey()), step.getValue());
      rest -= step.getValue();
    }
    note(step("the client's next write"), Math.max(0, rest));
  }

  private static Figure step(String name) {
    return seconds("step_" + name.replaceAll("\\W+", "_"), "  of it: " + name, null);
  }

  private void master(SalusClient client, WriteLoad load) throws IOException {
    cluster.start();
    cluster.calm(client, "load");
    load.mark();
    Pauses.pause(MASTER_NANOS);
    note(CALM_PAUSE, load.longestPause());
    load.mark();
    kill(cluster.processes().daemon(Daemon.MASTER, -1));
    Pauses.pause(MASTER_NANOS);
    note(MASTER_PAUSE, load.longestPause());
    load.nextEverywhere();
  }

  /**
   * Writes one region alone, up to the requested unflushed log. Then kills its primary while writes
   * go on.
   */
  private void longLog(SalusClient client) throws IOException {
    client.create("log", 4 * scale.log(), SalusClient.CreateOptions.DEFAULT);
    cluster.start();
    cluster.calm(client, "log");
    VolumeInfo info = client.info("log");
    VolumeSpec shape = MeasuredCluster.shape(info);
    try (Volume volume = client.open("log")) {
      MeasuredCluster.fill(
          volume,
          scale.log(),
          shape.stripeBlocks() * shape.blockSize(),
          stripe -> shape.block(0, stripe * shape.stripeBlocks()) * shape.blockSize());
      try (WriteLoad load = WriteLoad.start(volume, shape, List.of(0))) {
        cluster.await("writes go on", () -> load.nextEverywhere() >= 0);
        VolumeInfo.Member primary = primary(client);
        double unflushed = unflushed(primary.status().segmentBytes(), scale.log());
        load.mark();
        kill(cluster.processes().daemon(Daemon.REGIONSERVER, server(primary.node())));
        note(LOG_UNFLUSHED, unflushed);
        cluster.await("writes go on in the region", () -> load.nextEverywhere() >= 0);
        note(LOG_WRITE, load.nextEverywhere());
      }
    }
    client.delete("log", true);
  }

  /** M0 of the written region, with its newest report about its log. */
  private VolumeInfo.Member primary(SalusClient client) throws IOException {
    VolumeInfo.Member[] first = new VolumeInfo.Member[1];
    cluster.await(
        "the region's M0 says how long its log is",
        () -> {
          first[0] = client.info("log").regions().get(0).members().get(0);
          return first[0].status() != null;
        });
    return first[0];
  }

  private static int server(String node) throws IOException {
    return IntStream.range(0, MeasuredCluster.SERVERS)
        .filter(i -> node.startsWith(ServerAddresses.LOOPBACK.server(i) + ":"))
        .findFirst()
        .orElseThrow(() -> new IOException("no server of this cluster: " + node));
  }

  /**
   * The MiB of log that are in no checkpoint.
   *
   * @throws IOException when they are much less than requested, because the time to read them again
   *     would be that of a shorter log
   */
  static double unflushed(long found, long asked) throws IOException {
    if (found < UNFLUSHED_SHARE * asked) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "only %d MiB of the region's log were unflushed when its M0 was to be killed, not %d MiB as asked for:"
                  + " it was flushed while it was written, as in a pause of the writes; run it again on a machine with less to do",
              found >> 20,
              asked >> 20));
    }
    return found / (double) (1 << 20);
  }

  private void crash() throws IOException {
    cluster.start();
    cluster.say("writing " + (scale.written() >> 30) + " GiB, then everything is killed");
    try (SalusClient client = cluster.connect("64m")) {
      client.create("big", scale.written(), SalusClient.CreateOptions.DEFAULT);
      Volume volume = client.open("big");
      MeasuredCluster.fill(volume, scale.written(), 1 << 20, piece -> piece << 20);
      List<DaemonProcess> all = new ArrayList<>(cluster.processes().daemons());
      for (DaemonProcess d : all) {
        if (d.process().isPresent()) {
          kill(d);
        }
      }
    }
    long begin = System.nanoTime();
    cluster.start();
    note(START, secondsSince(begin));
    try (SalusClient client = cluster.connect("64m")) {
      long ready = System.nanoTime();
      client.open("big", true).close();
      note(MOUNT, secondsSince(ready));
    }
  }

  private static void kill(DaemonProcess d) throws IOException {
    d.running().destroyForcibly();
  }

  private static double secondsSince(long begin) {
    return (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
