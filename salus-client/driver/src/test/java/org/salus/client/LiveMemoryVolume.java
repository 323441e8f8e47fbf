package org.salus.client;

import java.time.Duration;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountConfig;
import org.salus.core.session.SessionConfig;
import org.salus.host.zk.ClusterStoreException;

/** A volume over members in memory whose loop runs by itself, for users of channels. */
final class LiveMemoryVolume implements AutoCloseable {
  static final int BLOCK = 4096;

  private final Thread loop;
  private volatile boolean stops;

  /** May be used by any thread until this is closed. */
  final Volume volume;

  /**
   * @param blocks of the volume
   */
  LiveMemoryVolume(int blocks) throws ClusterStoreException {
    MemoryClient client =
        new MemoryClient(
            new VolumeSpec("disk", 9, BLOCK, blocks, 1, false, 1 << 30),
            MountConfig.defaults(),
            new SessionConfig(16, 256, 100_000_000L, 60_000_000_000L, 1024, 16 << 20, 1 << 20));
    client.open();
    client.loop.isForeign = true;
    volume = client.volume;
    loop =
        new Thread(
            () -> {
              while (!stops) {
                client.loop.advance(Duration.ofNanos(100_000));
                Thread.yield();
              }
            });
    loop.start();
  }

  @Override
  public void close() throws InterruptedException {
    stops = true;
    loop.join();
  }
}
