package org.salus.benchmarks.figures.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.salus.benchmarks.peers.Pauses;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/** A cluster of processes under measurement. For one thread. */
final class MeasuredCluster {
  static final int SERVERS = 4;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int OUTSTANDING = 16;

  private final LocalCluster cluster;
  private final Consumer<String> progress;

  /** A condition to wait for. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * @param progress learns in a few words what is being done
   */
  MeasuredCluster(LocalCluster cluster, Consumer<String> progress) {
    this.cluster = cluster;
    this.progress = progress;
  }

  LocalCluster processes() {
    return cluster;
  }

  void say(String what) {
    progress.accept(what);
  }

  /** Starts the processes that do not run. */
  void start() throws IOException {
    cluster.start(SERVERS, Map.of(), progress);
  }

  /** Ends all processes and starts the cluster with these settings. */
  void restart(Map<String, String> settings) throws IOException {
    cluster.stop(step -> {});
    cluster.start(SERVERS, settings, step -> {});
  }

  /** Waits until a volume has had all its members for a while. */
  void calm(SalusClient client, String volume) throws IOException {
    await("every region has three members", () -> isWhole(client.info(volume), "none"));
    Pauses.pause(CALM_NANOS);
    await("every region still has three members", () -> isWhole(client.info(volume), "none"));
  }

  /**
   * @param segment the segment size of volumes that this client makes
   */
  SalusClient connect(String segment) throws IOException {
    return SalusClient.connect(
        Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", segment));
  }

  static VolumeSpec shape(VolumeInfo info) {
    return new VolumeSpec(
        info.name(),
        0,
        info.shape().blockSize(),
        info.shape().size() / info.shape().blockSize(),
        info.regions().size(),
        false,
        info.shape().segmentSize());
  }

  /** Whether every region has three members, none of them on hosts of this address. */
  static boolean isWhole(VolumeInfo info, String without) {
    return info.serving()
        && info.regions().stream()
            .allMatch(
                r ->
                    r.members().size() == 3
                        && r.members().stream().noneMatch(m -> m.node().startsWith(without)));
  }

  /**
   * Writes {@code bytes} bytes in pieces.
   *
   * @param offset gives the offset of each piece by its number, in bytes
   */
  static void fill(Volume volume, long bytes, int piece, LongUnaryOperator offset)
      throws IOException {
    byte[] content = new byte[piece];
    new Random(7).nextBytes(content);
    Semaphore slots = new Semaphore(OUTSTANDING);
    AtomicReference<Throwable> failed = new AtomicReference<>();
    for (long i = 0; i < bytes / piece && failed.get() == null; i++) {
      slots.acquireUninterruptibly();
      volume
          .write(offset.applyAsLong(i), ByteBuffer.wrap(content))
          .whenComplete(
              (nothing, error) -> {
                slots.release();
                failed.compareAndSet(null, error);
              });
    }
    slots.acquireUninterruptibly(OUTSTANDING);
    if (failed.get() != null) {
      throw new IOException("a write failed: " + failed.get().getMessage(), failed.get());
    }
  }

  void await(String what, Condition condition) throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new IOException(
            "not within "
                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s: "
                + what
                + "; not running: "
                + notRunning());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** The processes that were killed or ended by themselves. */
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
