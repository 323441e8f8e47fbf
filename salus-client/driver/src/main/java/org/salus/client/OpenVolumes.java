package org.salus.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The volumes that a client has opened, each until none of its claims stands. Thread-safe. */
final class OpenVolumes {
  private final Set<RemoteVolume> volumes = ConcurrentHashMap.newKeySet();

  void add(RemoteVolume volume) {
    volumes.removeIf(RemoteVolume::isDone);
    volumes.add(volume);
  }

  List<RemoteVolume> all() {
    volumes.removeIf(RemoteVolume::isDone);
    return List.copyOf(volumes);
  }

  /**
   * Completes when no handle of this volume that has ended, or is being closed, leaves a claim
   * behind; or after {@code atMost}. The next handle would find the volume busy. A handle that is
   * in use is not waited for.
   */
  CompletableFuture<Void> freeOfEnded(String name, Duration atMost) {
    CompletableFuture<?>[] done =
        volumes.stream()
            .filter(v -> v.name().equals(name) && v.isEnding())
            .map(RemoteVolume::done)
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(done)
        .completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS);
  }
}
