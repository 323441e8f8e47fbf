package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.Watch;
import org.salus.regionserver.hdfs.RegionStores;

@Timeout(60)
class HostedVolumeTest {
  private static final byte[] SECRET = "secret".getBytes(StandardCharsets.UTF_8);
  private static final String NODE = "node0";

  private final VolumeSpec spec = new VolumeSpec("disk", 79, 4096, 4096, 2, false, 1 << 20);

  @TempDir Path dir;

  private static Map<String, String> hdfs(ServerSocket nameNode) {
    return Map.of("fs.defaultFS", "hdfs://127.0.0.1:" + nameNode.getLocalPort());
  }

  /** The NameNode takes the connection and never answers. */
  @Test
  void watchesAreServedWhileTheDeletionOfAVolumeWaitsForHdfs() throws Exception {
    ServerThreads threads =
        new ServerThreads(
            "test",
            1,
            (what, bug) -> {
              throw new AssertionError(what, bug);
            });
    try (ServerSocket nameNode = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect();
        RegionStores stores = new RegionStores(hdfs(nameNode), SECRET);
        ServerDirectory servers = ServerDirectory.watch(store, now -> {});
        Watch registration =
            store.registerServer(
                NODE, ServerRecord.of(NODE, "127.0.0.1", 1, "127.0.0.1:2", 8, SECRET), SECRET)) {
      store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
      HostedVolume volume =
          new HostedVolume(
              spec,
              new HostTools(
                  new ThisServer(NODE, 8, SECRET),
                  store,
                  servers,
                  new ServerDisk(stores, path -> {}),
                  null,
                  threads,
                  new ConfiguredMembers(null, 8, SECRET),
                  new Metrics()));
      volume.start();
      store.beginDelete(spec.name(), false);
      CompletableFuture<Socket> asked =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return nameNode.accept();
                } catch (IOException failed) {
                  throw new UncheckedIOException(failed);
                }
              });
      while (!asked.isDone()) {
        volume.wake(); // the server itself may be unknown at first
        TimeUnit.MILLISECONDS.sleep(5);
      }
      BlockingQueue<List<String>> seen = new ArrayBlockingQueue<>(10);
      try (Watch watch = store.watchVolumes(seen::add)) {
        assertThat(seen.poll(20, TimeUnit.SECONDS)).containsExactly(spec.name());
      }
      assertThat(store.volume(spec.name()).state()).isEqualTo(VolumeRecord.State.DELETING);
      volume.close();
      threads.close();
      asked.join().close();
    }
  }
}
