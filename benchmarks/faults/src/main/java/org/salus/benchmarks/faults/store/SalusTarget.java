package org.salus.benchmarks.faults.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.salus.benchmarks.faults.hdfs.Replicas;
import org.salus.benchmarks.faults.history.BlockStore;
import org.salus.benchmarks.faults.history.WriteSequence;
import org.salus.benchmarks.faulty.ClusterWait;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeRecord;

/** Volumes. */
public final class SalusTarget implements Target {
  public static final String NAME = "salus";

  private static final int REGIONS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final Duration SETTLE = Duration.ofSeconds(8);

  private final FaultCluster cluster;
  private final String zookeeper;
  private final SalusClient client;

  public SalusTarget(FaultCluster cluster) throws IOException {
    this.cluster = cluster;
    this.zookeeper = cluster.zookeeper();
    this.client = connect(zookeeper, PATIENCE);
  }

  private static SalusClient connect(String zookeeper, Duration patience) {
    return SalusClient.connect(
        Map.of(
            "salus.zookeeper.quorum",
            zookeeper,
            "salus.client.request.timeout",
            patience.toMillis() + "ms"));
  }

  @Override
  public String label() {
    return "Salus";
  }

  @Override
  public Duration recovery() {
    return Duration.ZERO;
  }

  @Override
  public void create(String name, int blocks) throws IOException {
    ClusterStore store = cluster.store();
    store.createVolume(
        new VolumeRecord(
            new VolumeSpec(
                name,
                ThreadLocalRandom.current().nextLong(),
                WriteSequence.BLOCK,
                blocks,
                REGIONS,
                false,
                VolumeSpec.MIN_SEGMENT),
            VolumeRecord.State.ACTIVE));
    if (!ClusterWait.until(PATIENCE, () -> client.info(name).serving())) {
      throw new IOException("volume " + name + " does not serve: " + client.info(name).regions());
    }
  }

  @Override
  public BlockStore open(String name, Duration patience) {
    return open(zookeeper, name, patience);
  }

  /** As {@link #open(String, Duration)}, for a process that has no more than this. */
  public static BlockStore open(String zookeeper, String name, Duration patience) {
    SalusClient own = connect(zookeeper, patience);
    try {
      return new OpenVolume(own, own.open(name, true));
    } catch (RuntimeException refused) {
      own.close();
      throw refused;
    }
  }

  private record OpenVolume(SalusClient client, Volume volume) implements BlockStore {
    @Override
    public CompletableFuture<Void> write(int block, byte[] data) {
      return volume.write((long) block * WriteSequence.BLOCK, ByteBuffer.wrap(data));
    }

    @Override
    public CompletableFuture<byte[]> read(int block) {
      ByteBuffer into = ByteBuffer.allocate(WriteSequence.BLOCK);
      return volume.read((long) block * WriteSequence.BLOCK, into).thenApply(done -> into.array());
    }

    @Override
    public void close() {
      try {
        CompletableFuture.runAsync(volume::close).get(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException outstanding) {
        return; // given up with the client
      } catch (ExecutionException bug) {
        throw new IllegalStateException("cannot close a volume", bug.getCause());
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
      } finally {
        client.close();
      }
    }
  }

  @Override
  public void settle(String name) {
    ClusterWait.until(
        SETTLE,
        () -> {
          VolumeInfo info = client.info(name);
          return info.serving()
              && info.regions().stream()
                  .flatMap(r -> r.members().stream())
                  .allMatch(
                      m ->
                          m.status() != null
                              && m.status().checkpoints() > 0
                              && m.status().segments() <= 2);
        });
  }

  @Override
  public void renew(String name) throws IOException {
    Map<Integer, Integer> epochs = new HashMap<>();
    for (int r = 0; r < REGIONS; r++) {
      Versioned<RrsRecord> now =
          cluster
              .store()
              .rrs(name, r)
              .orElseThrow(() -> new IOException("volume " + name + " has no members"));
      epochs.put(r, now.value().epoch());
      if (now.value().state() != RrsRecord.State.BROKEN) {
        cluster
            .store()
            .replaceRrs(
                name,
                r,
                now.version(),
                now.value().broken(Cause.OPERATOR, "", "an operator asked for it"));
      }
    }
    ClusterWait.until(
        SETTLE,
        () -> {
          for (int r = 0; r < REGIONS; r++) {
            RrsRecord now = cluster.store().rrs(name, r).orElseThrow().value();
            if (now.epoch() <= epochs.get(r) || now.state() != RrsRecord.State.SERVING) {
              return false;
            }
          }
          return true;
        });
  }

  @Override
  public void falsify(String name, WrongRecord how) throws IOException {
    RrsRecord before = record(name).value();
    if (how == WrongRecord.OLD) {
      renew(name);
    }
    Versioned<RrsRecord> now = record(name);
    EpochLink link = now.value().link();
    EpochLink forged =
        new EpochLink(
            link.region(),
            link.epoch() + 1,
            link.members().subList(1, 2),
            link.members(),
            link.epoch(),
            link.signature(),
            Waiver.TIME_IS_OVER,
            link.signature());
    cluster
        .store()
        .replaceRrs(
            name,
            0,
            now.version(),
            how == WrongRecord.OLD
                ? before
                : new RrsRecord(forged, RrsRecord.State.OPENING, "a wrong record"));
  }

  private Versioned<RrsRecord> record(String name) throws IOException {
    return cluster
        .store()
        .rrs(name, 0)
        .orElseThrow(() -> new IOException("volume " + name + " has no members"));
  }

  @Override
  public boolean renewsAlone() {
    return true;
  }

  @Override
  public List<String> nodes(String name) throws IOException {
    return record(name).value().nodes();
  }

  @Override
  public List<Replicas> files(String name, Kind kind) throws IOException {
    String prefix = kind == Kind.LOG ? "/log-" : "/cp-";
    VolumeSpec spec = cluster.store().volume(name).spec();
    String directory = "/salus/" + name + "-" + String.format("%016x", spec.id());
    return cluster.replicas().below(directory, path -> path.contains(prefix));
  }

  @Override
  public void delete(String name) {
    client.delete(name, true);
  }

  @Override
  public List<String> arguments() {
    return List.of(NAME, zookeeper);
  }

  @Override
  public void close() {
    client.close();
  }
}
