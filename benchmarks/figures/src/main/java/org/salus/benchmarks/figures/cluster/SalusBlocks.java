package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.salus.benchmarks.figures.load.Requests;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.Pauses;
import org.salus.benchmarks.peers.RequestWindow;
import org.salus.client.SalusClient;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo.Member;
import org.salus.client.VolumeInfo.Region;
import org.salus.client.VolumeInfo.Status;

/** A Salus volume of 4 KiB blocks with a client of its own. Each block is a request. */
public final class SalusBlocks implements BlockStoreUnderTest {
  private static final long SETTLE_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Quiet looks that are needed: servers look for background work once a second. */
  private static final int QUIET_POLLS = 6;

  /** Segments that stay open: the one that is written, and the next. */
  private static final int OPEN_SEGMENTS = 2;

  private final String name;
  private final String volumeName;
  private final Shape shape;
  private final IntSupplier members;
  private final RequestWindow window;
  private final SalusClient client;
  private Volume volume;

  /**
   * How a volume is made and used.
   *
   * @param outstanding most requests
   * @param synced whether each write is on disk on three DataNodes before it completes
   */
  public record Shape(int regions, int outstanding, boolean synced) {}

  /**
   * @param name for tables
   * @param volumeName name that no other volume has
   * @param members how many members each region has when nothing is in the way
   * @param settings of the client, with {@code salus.zookeeper.quorum}
   */
  public SalusBlocks(
      String name,
      String volumeName,
      Shape shape,
      IntSupplier members,
      Map<String, String> settings) {
    this.name = name;
    this.volumeName = volumeName;
    this.shape = shape;
    this.members = members;
    this.window = new RequestWindow(shape.outstanding);
    this.client = SalusClient.connect(settings);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void open(long blocks) {
    client.create(volumeName, blocks * BLOCK, new CreateOptions(BLOCK, false, shape.regions));
    volume = client.open(volumeName);
  }

  /**
   * Unmounts the volume and mounts it again, so that the client knows nothing. Returns the
   * nanoseconds that the mount took.
   */
  long mountAgain() {
    volume.close();
    long begin = System.nanoTime();
    volume = client.open(volumeName);
    return System.nanoTime() - begin;
  }

  @Override
  public CompletableFuture<Void> write(long block, byte[] content) {
    window.enter();
    return volume
        .write(block * BLOCK, ByteBuffer.wrap(content), shape.synced)
        .whenComplete((done, error) -> window.leave());
  }

  @Override
  public CompletableFuture<byte[]> read(long block) {
    window.enter();
    byte[] content = new byte[BLOCK];
    return volume
        .read(block * BLOCK, ByteBuffer.wrap(content))
        .whenComplete((done, error) -> window.leave())
        .thenApply(done -> content);
  }

  @Override
  public void send() {
    // Nothing is held back here.
  }

  /** A flush. Later writes need not wait for it, for writes commit in order. */
  @Override
  public CompletableFuture<Void> barrier() {
    return volume.flush();
  }

  /**
   * Waits until everything but the open log segments is in checkpoints, and lost members are
   * replaced.
   */
  @Override
  public long settle() throws IOException {
    Requests flush = new Requests();
    flush.add(volume.flush());
    flush.await(name);
    long end = System.nanoTime() + SETTLE_NANOS;
    List<Status> last = null;
    long settled = 0;
    for (int quiet = 0; quiet < QUIET_POLLS; ) {
      Pauses.pause(POLL_NANOS);
      List<Region> regions = client.info(volumeName).regions();
      List<Status> now =
          regions.stream().flatMap(r -> r.members().stream()).map(Member::status).toList();
      boolean flushed =
          now.stream().allMatch(s -> s != null && s.segments() <= OPEN_SEGMENTS && s.builds() == 0);
      boolean whole = regions.stream().allMatch(r -> r.members().size() == members.getAsInt());
      quiet = flushed && whole && Objects.equals(now, last) ? quiet + 1 : 0;
      settled = quiet == 0 ? System.nanoTime() : settled;
      last = now;
      if (System.nanoTime() > end) {
        throw new IOException("volume " + volumeName + " is still flushed: " + now);
      }
    }
    return settled;
  }

  /**
   * The number of checkpoints of each region at its first member; -1 if that member does not say.
   */
  public List<Integer> checkpoints() {
    return client.info(volumeName).regions().stream()
        .map(
            r ->
                r.members().isEmpty() || r.members().get(0).status() == null
                    ? -1
                    : r.members().get(0).status().checkpoints())
        .toList();
  }

  @Override
  public void remove() {
    if (volume != null) {
      volume.close();
      volume = null;
      client.delete(volumeName, false);
    }
  }

  @Override
  public void close() {
    if (volume != null) {
      volume.close();
    }
    client.close();
  }
}
