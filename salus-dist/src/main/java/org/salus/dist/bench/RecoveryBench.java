package org.salus.dist.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import org.salus.dist.bench.RecoveryReport.Figure;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.cluster.LocalCluster;
import org.salus.dist.hbase.LocalSettings;

/** Kills servers of a cluster of processes under a load of writes and takes the time. For one thread. */
public final class RecoveryBench {
  private static final int SERVERS = 4;
  private static final long LOAD_SIZE = 1L << 30;
  private static final String LARGEST_FLUSHLESS_SEGMENT = "256m";
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MASTER_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int OUTSTANDING = 16;

  /** How much is done. {@code log}: bytes of unflushed log; {@code written}: bytes before everything is killed. */
  public record Extent(int repeat, int repeatLog, long log, long written) {
    public static final Extent FULL = new Extent(9, 3, 1L << 30, 10L << 30);
    public static final Extent QUICK = new Extent(3, 1, 128L << 20, 1L << 30);
  }

  /** What is killed, and what is measured then. */
  private enum Kill {
    REGION_SERVER(List.of(Daemon.REGIONSERVER), Figure.REGION_SERVER_WRITE, Figure.REGION_SERVER_WHOLE, Figure.REGION_SERVER_PAUSE),
    DATANODE(List.of(Daemon.DATANODE), Figure.DATANODE_WRITE, Figure.DATANODE_WHOLE, Figure.DATANODE_PAUSE),
    HOST(List.of(Daemon.REGIONSERVER, Daemon.DATANODE), Figure.HOST_WRITE, Figure.HOST_WHOLE, Figure.HOST_PAUSE);

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

  private interface Condition {
    boolean holds() throws IOException;
  }

  private final LocalCluster cluster;
  private final Extent extent;
  private final Consumer<String> progress;
  private final RecoveryReport report = new RecoveryReport();

  /** @param progress told in a few words what is being done */
  public RecoveryBench(LocalCluster cluster, Extent extent, Consumer<String> progress) {
    this.cluster = cluster;
    this.extent = extent;
    this.progress = progress;
  }

  /** Starts the cluster and measures; the cluster is left running. */
  public RecoveryReport run() throws IOException {
    cluster.start(SERVERS, Map.of(), progress);
    try (SalusClient client = connect("64m")) {
      kills(client);
    }
    for (int i = 0; i < extent.repeatLog(); i++) {
      progress.accept(String.format("recovery of a log, %d of %d", i + 1, extent.repeatLog()));
      try (SalusClient client = connect(LARGEST_FLUSHLESS_SEGMENT)) {
        longLog(client);
      }
    }
    crash();
    return report;
  }

  /** Told at once as well: a run that is cut off has not been for nothing. */
  private void note(Figure figure, double seconds) {
    report.add(figure, seconds);
    progress.accept(String.format(Locale.ROOT, "%s: %.2f s", figure.label(), seconds));
  }

  private SalusClient connect(String segment) throws IOException {
    return SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", segment));
  }

  private static VolumeSpec shape(VolumeInfo info) {
    return new VolumeSpec(info.name(), 0, info.blockSize(), info.size() / info.blockSize(), info.regions().size(), false, info.segmentSize());
  }

  private void kills(SalusClient client) throws IOException {
    client.create("load", LOAD_SIZE, SalusClient.CreateOptions.DEFAULT);
    VolumeSpec shape = shape(client.info("load"));
    try (Volume volume = client.open("load");
        WriteLoad load = new WriteLoad(volume, shape, IntStream.range(0, shape.regionCount()).boxed().toList())) {
      for (int i = 0; i < extent.repeat(); i++) {
        progress.accept(String.format("kills under load, %d of %d", i + 1, extent.repeat()));
        for (Kill kill : Kill.values()) {
          one(client, load, kill, (i + kill.ordinal()) % SERVERS);
        }
        master(client, load);
      }
    }
    cluster.start(SERVERS, Map.of(), progress); // it takes a master to delete
    client.delete("load", true);
  }

  private void one(SalusClient client, WriteLoad load, Kill what, int server) throws IOException {
    calm(client, "load");
    load.mark();
    long begin = System.nanoTime();
    for (Daemon role : what.roles) {
      kill(cluster.daemon(role, server));
    }
    await("writes go on", () -> load.nextEverywhere() >= 0);
    note(what.write, load.nextEverywhere());
    String address = LocalSettings.address(server) + ":";
    await("every region has three members on other hosts", () -> isWhole(client.info("load"), address));
    note(what.whole, secondsSince(begin));
    note(what.pause, load.longestPause());
    load.nextEverywhere();
  }

  private void master(SalusClient client, WriteLoad load) throws IOException {
    calm(client, "load");
    load.mark();
    pause(MASTER_NANOS);
    note(Figure.CALM_PAUSE, load.longestPause());
    load.mark();
    kill(cluster.daemon(Daemon.MASTER, -1));
    pause(MASTER_NANOS);
    note(Figure.MASTER_PAUSE, load.longestPause());
    load.nextEverywhere();
  }

  /** Everything runs, and has run for a while. */
  private void calm(SalusClient client, String volume) throws IOException {
    cluster.start(SERVERS, Map.of(), step -> { });
    await("every region has three members", () -> isWhole(client.info(volume), "none"));
    pause(CALM_NANOS);
    await("every region still has three members", () -> isWhole(client.info(volume), "none"));
  }

  private static boolean isWhole(VolumeInfo info, String without) {
    return info.serving() && info.regions().stream().allMatch(
        r -> r.members().size() == 3 && r.members().stream().noneMatch(m -> m.node().startsWith(without)));
  }

  /** One region alone is written, as much as is not flushed yet, and its primary killed while writes go on. */
  private void longLog(SalusClient client) throws IOException {
    client.create("log", 4 * extent.log(), SalusClient.CreateOptions.DEFAULT);
    calm(client, "log");
    VolumeInfo info = client.info("log");
    VolumeSpec shape = shape(info);
    try (Volume volume = client.open("log")) {
      fill(volume, extent.log(), shape.stripeBlocks() * shape.blockSize(), stripe -> shape.block(0, stripe * shape.stripeBlocks()) * shape.blockSize());
      try (WriteLoad load = new WriteLoad(volume, shape, List.of(0))) {
        await("writes go on", () -> load.nextEverywhere() >= 0);
        String first = info.regions().get(0).members().get(0).node();
        load.mark();
        kill(cluster.daemon(Daemon.REGIONSERVER, IntStream.range(0, SERVERS).filter(i -> first.startsWith(LocalSettings.address(i) + ":")).findFirst()
            .orElseThrow(() -> new IOException("no server of this cluster: " + first))));
        await("writes go on in the region", () -> load.nextEverywhere() >= 0);
        note(Figure.LOG_WRITE, load.nextEverywhere());
      }
    }
    client.delete("log", true);
  }

  private interface Place {
    long offset(long piece);
  }

  /** Writes so many bytes in pieces. */
  private static void fill(Volume volume, long bytes, int piece, Place place) throws IOException {
    byte[] content = new byte[piece];
    new Random(7).nextBytes(content);
    Semaphore slots = new Semaphore(OUTSTANDING);
    AtomicReference<Throwable> failed = new AtomicReference<>();
    for (long i = 0; i < bytes / piece && failed.get() == null; i++) {
      slots.acquireUninterruptibly();
      volume.write(place.offset(i), ByteBuffer.wrap(content)).whenComplete((nothing, error) -> {
        slots.release();
        failed.compareAndSet(null, error);
      });
    }
    slots.acquireUninterruptibly(OUTSTANDING);
    if (failed.get() != null) {
      throw new IOException("a write failed: " + failed.get().getMessage(), failed.get());
    }
  }

  private void crash() throws IOException {
    cluster.start(SERVERS, Map.of(), progress);
    progress.accept("writing " + (extent.written() >> 30) + " GiB, then everything is killed");
    try (SalusClient client = connect("64m")) {
      client.create("big", extent.written(), SalusClient.CreateOptions.DEFAULT);
      Volume volume = client.open("big");
      fill(volume, extent.written(), 1 << 20, piece -> piece << 20);
      List<DaemonProcess> all = new ArrayList<>(cluster.daemons());
      for (DaemonProcess d : all) {
        if (d.process().isPresent()) {
          kill(d);
        }
      }
    }
    long begin = System.nanoTime();
    cluster.start(SERVERS, Map.of(), progress);
    note(Figure.START, secondsSince(begin));
    try (SalusClient client = connect("64m")) {
      long ready = System.nanoTime();
      client.open("big", true).close();
      note(Figure.MOUNT, secondsSince(ready));
    }
  }

  private static void kill(DaemonProcess d) throws IOException {
    d.process().orElseThrow(() -> new IOException(d.name() + " does not run")).destroyForcibly();
  }

  private static double secondsSince(long begin) {
    return (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void await(String what, Condition condition) throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new IOException("not within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s: " + what + "; not running: " + notRunning());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Those that were killed, and those that ended by themselves. */
  private List<String> notRunning() throws IOException {
    List<String> names = new ArrayList<>();
    for (DaemonProcess d : cluster.daemons()) {
      if (d.process().isEmpty()) {
        names.add(d.name());
      }
    }
    return names;
  }
}
