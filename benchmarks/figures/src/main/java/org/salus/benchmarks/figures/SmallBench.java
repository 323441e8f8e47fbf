package org.salus.benchmarks.figures;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.load.Requests;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.peers.RequestWindow;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.client.SalusClient;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.Volume;
import org.salus.dist.hbase.LocalCluster;

/**
 * Small requests, and many: writes to parts of blocks beside writes of whole blocks, and requests
 * that are all outstanding at once beside some at a time. For one thread.
 */
public final class SmallBench extends FigureBench {
  private static final int BLOCK = 4 << 10;
  private static final int OUTSTANDING = 512;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String WHOLE_BLOCKS = "4 KiB";
  private static final String SOME = OUTSTANDING + " at a time";

  /** The loads in their order. */
  enum Step {
    IN_ORDER("in_order", "1 KiB writes in order beside", "MB/s", Goal.atLeast(0.5), WHOLE_BLOCKS),
    RANDOM("random", "random 512-byte writes beside", "kIO/s", null, WHOLE_BLOCKS),
    READS("reads", "random reads, all at once beside", "s", Goal.atMost(1.5), SOME),
    MIXED(
        "mixed", "reads and writes of any bytes, all at once beside", "s", Goal.atMost(1.5), SOME);

    private final Work work;
    private final String peer;

    Step(String name, String label, String unit, Goal target, String peer) {
      this.work = new Work(name, label + " " + peer, unit, "-", target);
      this.peer = peer;
    }
  }

  /**
   * The size of a run: rounds that count, blocks of the volume, and requests of each measurement.
   */
  public record Scale(int repeat, int blocks, int requests) {
    public static final Scale FULL = new Scale(5, 256 << 10, 100_000);
    public static final Scale QUICK = new Scale(3, 32 << 10, 100_000);
  }

  private final Scale scale;

  /** See {@link FigureBench}. */
  public SmallBench(LocalCluster cluster, Scale scale, long seed, Consumer<String> out) {
    super(
        new OwnCluster(cluster, OwnCluster.SERVERS, seed, scale.blocks()),
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * Step.values().length,
        out);
    this.scale = scale;
  }

  private long size() {
    return (long) scale.blocks() * BLOCK;
  }

  @Override
  void measure() throws IOException {
    try (SalusClient client = SalusClient.connect(cluster.client())) {
      client.create("small", size(), new CreateOptions(BLOCK, false, FigureCluster.REGIONS));
      try (Volume volume = client.open("small")) {
        seconds(size() / BLOCK, OUTSTANDING, i -> write(volume, (long) i * BLOCK, BLOCK));
        for (int round = 0; round <= scale.repeat(); round++) {
          for (Step step : Step.values()) {
            begin(round, step.work.label());
            step(volume, step, round);
          }
        }
      }
    }
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void step(Volume volume, Step step, int round) throws IOException {
    long seed = seeds.nextLong();
    boolean turned = round % 2 == 1; // neither is always the first
    double first = measured(volume, step, turned, seed);
    double second = measured(volume, step, !turned, seed);
    if (round > 0) {
      comparison.add(step.work, Comparison.SALUS, turned ? second : first);
      comparison.add(step.work, step.peer, turned ? first : second);
    }
  }

  /**
   * @param beside whether what the others are compared with is measured
   */
  private double measured(Volume volume, Step step, boolean beside, long seed) throws IOException {
    Random random = new Random(seed);
    int requests = scale.requests();
    return switch (step) {
      case IN_ORDER -> {
        int length = beside ? BLOCK : 1 << 10;
        long most = Math.min(requests, size() / length);
        yield most
            * length
            / 1e6
            / seconds(most, OUTSTANDING, i -> write(volume, (long) i * length, length));
      }
      case RANDOM -> {
        int length = beside ? BLOCK : 512;
        int places = (int) (size() / length);
        yield requests
            / 1e3
            / seconds(
                requests,
                OUTSTANDING,
                i -> write(volume, (long) random.nextInt(places) * length, length));
      }
      case READS ->
          seconds(
              requests,
              beside ? OUTSTANDING : requests,
              i -> read(volume, (long) random.nextInt(scale.blocks()) * BLOCK, BLOCK));
      case MIXED ->
          seconds(requests, beside ? OUTSTANDING : requests, i -> anything(volume, random));
    };
  }

  private CompletableFuture<Void> anything(Volume volume, Random random) {
    int length = 1 + random.nextInt(2 * BLOCK);
    long offset = random.nextLong(size() - length);
    return random.nextBoolean() ? read(volume, offset, length) : write(volume, offset, length);
  }

  private static CompletableFuture<Void> write(Volume volume, long offset, int length) {
    byte[] bytes = new byte[length];
    bytes[0] = (byte) (offset | 1);
    return volume.write(offset, ByteBuffer.wrap(bytes));
  }

  private static CompletableFuture<Void> read(Volume volume, long offset, int length) {
    return volume.read(offset, ByteBuffer.allocate(length));
  }

  /** Makes so many requests, with so many outstanding at most. Returns how long that takes. */
  private static double seconds(
      long requests, int outstanding, IntFunction<CompletableFuture<Void>> request)
      throws IOException {
    RequestWindow window = new RequestWindow(outstanding);
    Requests all = new Requests();
    long begin = System.nanoTime();
    for (int i = 0; i < requests; i++) {
      window.enter();
      all.add(request.apply(i).whenComplete((done, failed) -> window.leave()));
    }
    all.await("the volume");
    return (System.nanoTime() - begin) / NANOS;
  }

  @Override
  Plot plot() {
    List<Step> speeds = List.of(Step.IN_ORDER, Step.RANDOM);
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : List.of(Comparison.SALUS, WHOLE_BLOCKS)) {
      bars.put(system, speeds.stream().map(s -> comparison.median(s.work, system)).toList());
    }
    return Plot.bars(
        "Writes to parts of blocks beside writes of whole blocks",
        "MB/s, kIO/s",
        speeds.stream().map(s -> s.work.label()).toList(),
        bars);
  }
}
