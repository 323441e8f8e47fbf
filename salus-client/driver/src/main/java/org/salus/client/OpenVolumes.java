package org.salus.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterRecord;

/** The volumes that a client has opened, each until none of its claims stands. Thread-safe. */
final class OpenVolumes {
  /** The ids of their claims. */
  private final Map<RemoteVolume, String> volumes = new ConcurrentHashMap<>();

  /**
   * @param claimId the id of the volume's claims
   */
  void add(RemoteVolume volume, String claimId) {
    volumes.keySet().removeIf(RemoteVolume::isDone);
    volumes.put(volume, claimId);
  }

  /**
   * Claims a volume for its first mount; blocks.
   *
   * @throws SalusException.Busy when another handle of this client has it
   */
  MountHost.Taken acquire(RemoteVolume volume, boolean force) throws ClusterStoreException {
    try {
      return volume.acquire(force);
    } catch (ClusterStoreException.Busy busy) {
      WriterRecord writer = busy.writer();
      if (isOfAHandleInUse(writer.claimId())) {
        throw SalusException.Busy.inThisClient(
            volume.name(), writer.holder(), Instant.ofEpochMilli(writer.since()));
      }
      throw busy;
    }
  }

  private boolean isOfAHandleInUse(String claimId) {
    return volumes.entrySet().stream()
        .anyMatch(v -> v.getValue().equals(claimId) && !v.getKey().isEnding());
  }

  List<RemoteVolume> all() {
    volumes.keySet().removeIf(RemoteVolume::isDone);
    return List.copyOf(volumes.keySet());
  }

  /**
   * Completes when no handle of this volume that has ended, or is being closed, leaves a claim
   * behind; or after {@code atMost}. The next handle would find the volume busy. A handle that is
   * in use is not waited for.
   */
  CompletableFuture<Void> freeOfEnded(String name, Duration atMost) {
    CompletableFuture<?>[] done =
        volumes.keySet().stream()
            .filter(v -> v.name().equals(name) && v.isEnding())
            .map(RemoteVolume::done)
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(done)
        .completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS);
  }
}
