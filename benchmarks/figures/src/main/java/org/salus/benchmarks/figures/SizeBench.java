package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.cluster.SpreadBlocks;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.load.Percentile;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.figures.watch.HeapWatch;
import org.salus.benchmarks.figures.watch.ServerMemory;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.Pauses;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;

/**
 * The cost and the memory of an operation in small and large volumes with equally many used blocks.
 * For one thread.
 */
public final class SizeBench extends FigureBench {
  /** MiB of heap of the client, which is the process that this runs in. */
  public static final int CLIENT_HEAP = 512;

  /** MiB of heap of each region server. */
  public static final int SERVER_HEAP = 1024;

  private static final double MIB = 1 << 20;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double MOST_GROWTH = 1.10;
  private static final String LIMIT = "its limit";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * How often the measured operations run to warm up. Otherwise the first volume would warm up
   * those after it.
   */
  private static final int WARM_UPS = 3;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The outstanding requests of the load under which servers' heap is looked at. */
  private static final int LOAD_OUTSTANDING = 1000;

  private static final double LOAD_READS = 0.3;

  /** The sizes of the compared volumes. The first is the reference. */
  enum Size {
    SMALL("1 GiB", 1L << 30),
    LARGE("1 TiB", 1L << 40),
    LARGEST("16 TiB", 16L << 40);

    final String label;
    final long blocks;

    Size(String label, long bytes) {
      this.label = label;
      this.blocks = bytes / BlockStoreUnderTest.BLOCK;
    }
  }

  /** The steps in their order. */
  enum Step {
    RANDOM_WRITE("random write", Access.WRITE, true),
    RANDOM_READ("random read", Access.READ, true),
    SEQUENTIAL_WRITE("sequential write", Access.WRITE, false),
    SEQUENTIAL_READ("sequential read", Access.READ, false);

    private final String label;
    private final Access operation;
    private final boolean random;

    Step(String label, Access operation, boolean random) {
      this.label = label;
      this.operation = operation;
      this.random = random;
    }

    private Work cpu(Size size) {
      return figure("cpu", "CPU of all processes", "us/block", Goal.atMost(MOST_GROWTH), size);
    }

    private Work speed(Size size) {
      return figure("speed", "many at once", "IO/s", Goal.atLeast(1 / MOST_GROWTH), size);
    }

    private Work latency(Size size) {
      return figure("p50", "p50 of one at a time", "ms", Goal.atMost(MOST_GROWTH), size);
    }

    private Work figure(String what, String words, String unit, Goal target, Size size) {
      return beside(
          name().toLowerCase(Locale.ROOT) + "_" + what, label + ", " + words, unit, target, size);
    }
  }

  /**
   * The size of a run: rounds that count, whether sequential requests are measured, used blocks of
   * each volume, and passes of a measurement over them. Then the number of single requests, the
   * number of mounts, and the seconds of load under which servers' heap is looked at.
   */
  public record Scale(
      int repeat,
      boolean sequential,
      int blocks,
      int passes,
      int requests,
      int mounts,
      int seconds) {
    public static final Scale FULL = new Scale(5, true, 64 << 10, 4, 500, 5, 30);
    public static final Scale QUICK = new Scale(3, false, 16 << 10, 3, 60, 3, 4);

    private List<Step> steps() {
      return Stream.of(Step.values()).filter(s -> s.random || sequential).toList();
    }
  }

  /** A volume and how it is used. */
  private record Sized(Size size, SpreadBlocks spread, CheckedStore store) {}

  private final OwnCluster own;
  private final Scale scale;
  private double idle;
  private final HeapWatch heap = new HeapWatch();

  /** MiB of the region servers' heap that each volume keeps. */
  private final Map<Size, Double> kept = new LinkedHashMap<>();

  /** See {@link FigureBench}. */
  public SizeBench(LocalCluster cluster, Scale scale, long seed, Consumer<String> out) {
    this(new OwnCluster(cluster, OwnCluster.SERVERS, seed, scale.blocks()), scale, seed, out);
  }

  private SizeBench(OwnCluster cluster, Scale scale, long seed, Consumer<String> out) {
    super(
        cluster,
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * scale.steps().size() * Size.values().length,
        out);
    this.own = cluster;
    this.scale = scale;
  }

  private static Work beside(String name, String label, String unit, Goal target, Size size) {
    return new Work(
        name + "_" + size.label.replace(" ", "").toLowerCase(Locale.ROOT),
        size.label + ": " + label,
        unit,
        "-",
        target);
  }

  @Override
  void measure() throws IOException {
    try (heap) {
      List<Sized> all = new ArrayList<>();
      for (Size size : Size.values()) {
        all.add(made(size));
      }
      for (int round = 0; round <= scale.repeat(); round++) {
        idle = idle();
        for (Step step : scale.steps()) {
          step(all, step, round);
        }
      }
      mounts(all);
      memory(all.get(all.size() - 1));
    }
  }

  // ---- volumes ----

  /** Makes a volume, writes the used blocks of it, and reports what its servers keep of it. */
  private Sized made(Size size) throws IOException {
    out.accept(
        "making a volume of "
            + size.label
            + " and writing "
            + scale.blocks()
            + " blocks, spread over it");
    double before = live(own.memory());
    SpreadBlocks spread =
        new SpreadBlocks(
            cluster.volume(size.label, false, FigureCluster.REGIONS),
            size.blocks,
            seeds.nextLong());
    Sized made = new Sized(size, spread, cluster.open(spread));
    Load.everyBlock(made.store, Access.WRITE, Load.inOrder());
    spread.settle();
    kept.put(size, live(own.memory()) - before);
    return made;
  }

  private static double live(List<ServerMemory> servers) {
    return servers.stream().mapToLong(ServerMemory::liveHeap).sum() / MIB;
  }

  // ---- what an operation costs ----

  /**
   * @param round the number of the round; 0 warms up
   */
  private void step(List<Sized> all, Step step, int round) throws IOException {
    IntUnaryOperator order =
        step.random ? Load.shuffled(scale.blocks(), seeds.nextLong()) : Load.inOrder();
    long seed = seeds.nextLong();
    Map<Size, double[]> found = new LinkedHashMap<>();
    for (Sized one : FigureCluster.inTurn(all, round)) {
      begin(round, step.label + ", " + one.size.label);
      found.put(
          one.size,
          measured(
              one, step, order, seed, round == 0 ? WARM_UPS * scale.passes() : scale.passes()));
    }
    for (Size size : Size.values()) {
      if (round > 0 && size != Size.SMALL) {
        add(step.cpu(size), found, size, 0);
        add(step.speed(size), found, size, 1);
        if (step.random) {
          add(step.latency(size), found, size, 2);
        }
      }
    }
  }

  private void add(Work work, Map<Size, double[]> found, Size size, int which) {
    comparison.add(work, Comparison.SALUS, found.get(size)[which]);
    comparison.add(work, Size.SMALL.label, found.get(Size.SMALL)[which]);
  }

  /**
   * Measures microseconds of CPU for a block, blocks a second, and milliseconds for a single block.
   * A write's cost includes everything until it is in files, because segments are flushed at
   * different times in each measurement.
   */
  private double[] measured(Sized one, Step step, IntUnaryOperator order, long seed, int passes)
      throws IOException {
    double latency =
        step.random
            ? Percentile.of(
                    Load.oneByOne(one.store, step.operation, scale.requests(), PAUSE_NANOS, seed),
                    50)
                / 1e6
            : 0;
    long before = cpuNanos();
    long begin = System.nanoTime();
    for (int pass = 0; pass < passes; pass++) {
      Load.everyBlock(one.store, step.operation, order);
    }
    long end = System.nanoTime();
    if (step.operation == Access.WRITE) {
      one.spread.settle();
    }
    double cpu = cpuNanos() - before - idle * (System.nanoTime() - end);
    double blocks = (double) passes * scale.blocks();
    return new double[] {cpu / 1e3 / blocks, blocks / ((end - begin) / NANOS), latency};
  }

  /** The CPU time of all processes, in nanoseconds. */
  private long cpuNanos() throws IOException {
    return cluster.spent().orElseThrow().cpuNanos();
  }

  /** The CPU time that all idle processes take together in a nanosecond. */
  private double idle() throws IOException {
    long before = cpuNanos();
    long begin = System.nanoTime();
    Pauses.pause(IDLE_NANOS);
    return (cpuNanos() - before) / (double) (System.nanoTime() - begin);
  }

  // ---- mounts and memory ----

  /** A client without any state mounts. Then everything is read and compared. */
  private void mounts(List<Sized> all) throws IOException {
    for (int i = 0; i < scale.mounts(); i++) {
      out.accept("mounting, " + (i + 1) + " of " + scale.mounts());
      Map<Size, double[]> found = new LinkedHashMap<>();
      for (Sized one : FigureCluster.inTurn(all, i)) {
        double mount = one.spread.mountAgain() / 1e6;
        long begin = System.nanoTime();
        Load.everyBlock(one.store, Access.READ, Load.inOrder());
        found.put(
            one.size, new double[] {mount, scale.blocks() / ((System.nanoTime() - begin) / NANOS)});
      }
      for (Size size : List.of(Size.LARGE, Size.LARGEST)) {
        add(beside("mount", "mount", "ms", null, size), found, size, 0);
        add(
            beside("first_read", "first sequential read after it", "IO/s", null, size),
            found,
            size,
            1);
      }
    }
  }

  private void memory(Sized largest) throws IOException {
    for (Size size : List.of(Size.LARGE, Size.LARGEST)) {
      Work work = beside("kept", "heap that all region servers keep for it", "MiB", null, size);
      comparison.add(work, Comparison.SALUS, kept.get(size));
      comparison.add(work, Size.SMALL.label, kept.get(Size.SMALL));
    }
    List<ServerMemory> servers = underLoad(largest);
    limited(
        "server_heap",
        "live heap of a region server under load",
        most(servers, ServerMemory::liveHeap),
        SERVER_HEAP,
        Goal.atMost(1));
    limited(
        "server_resident",
        "most memory of a region server, all of it",
        most(servers, ServerMemory::mostResident),
        SERVER_HEAP,
        null);
    limited(
        "server_off_heap",
        "most of it off the heap",
        most(servers, s -> s.mostResident() - s.heap()),
        SERVER_HEAP,
        null);
    double limit = Runtime.getRuntime().maxMemory() / MIB;
    limited(
        "client_heap",
        "client's heap after a collection, the most",
        heap.mostAfterCollection() / MIB,
        limit,
        Goal.atMost(1));
    double resident = ServerMemory.mostResident(ProcessHandle.current()) / MIB;
    limited("client_resident", "most memory of the client, all of it", resident, limit, null);
    limited(
        "client_off_heap",
        "of that off the heap",
        resident - Runtime.getRuntime().totalMemory() / MIB,
        limit,
        null);
  }

  private void limited(String name, String label, double mib, double limit, Goal target) {
    Work work = new Work(name, label, "MiB", "-", target);
    comparison.add(work, Comparison.SALUS, mib);
    comparison.add(work, LIMIT, limit);
  }

  private static double most(List<ServerMemory> servers, ToLongFunction<ServerMemory> what) {
    return servers.stream().mapToLong(what).max().orElseThrow() / MIB;
  }

  /** The servers' memory half way through reads and writes at full speed. */
  private List<ServerMemory> underLoad(Sized one) throws IOException {
    out.accept(
        "reading and writing "
            + one.size.label
            + " for "
            + scale.seconds()
            + " s, for the servers' memory");
    CompletableFuture<List<ServerMemory>> servers = new CompletableFuture<>();
    Load.mixed(
        one.store,
        LOAD_READS,
        LOAD_OUTSTANDING,
        TimeUnit.SECONDS.toNanos(scale.seconds()),
        seeds.nextLong(),
        () -> new Thread(() -> look(servers), "salus-memory").start());
    one.spread.settle();
    try {
      return servers.join();
    } catch (CompletionException failed) {
      throw new IOException(failed.getCause().getMessage(), failed.getCause());
    }
  }

  private void look(CompletableFuture<List<ServerMemory>> servers) {
    try {
      servers.complete(own.memory());
    } catch (IOException | RuntimeException failed) {
      servers.completeExceptionally(failed);
    }
  }

  @Override
  List<String> setting() {
    List<String> all = new ArrayList<>(cluster.setting());
    all.add(
        "volumes: of "
            + Stream.of(Size.values()).map(s -> s.label).collect(Collectors.joining(", "))
            + "; those blocks of each are used, in runs of "
            + SpreadBlocks.RUN
            + " that are spread over all of it");
    return all;
  }

  @Override
  Plot plot() {
    List<Step> steps = scale.steps();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    bars.put(
        Size.SMALL.label,
        steps.stream().map(s -> comparison.median(s.cpu(Size.LARGEST), Size.SMALL.label)).toList());
    for (Size size : List.of(Size.LARGE, Size.LARGEST)) {
      bars.put(
          size.label,
          steps.stream().map(s -> comparison.median(s.cpu(size), Comparison.SALUS)).toList());
    }
    return Plot.bars(
        "CPU time of all processes for a block of 4 KiB, by the volume's size",
        "us",
        steps.stream().map(s -> s.label).toList(),
        bars);
  }
}
