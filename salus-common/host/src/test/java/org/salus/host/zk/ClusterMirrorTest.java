package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;

@Timeout(60)
class ClusterMirrorTest {
  private static final VolumeSpec DISK =
      new VolumeSpec("disk0", 0x1234567L, 4096, 1000, 2, false, 1 << 27);
  private static final Duration SESSION = Duration.ofSeconds(4);
  private static final Duration MOST_AGE = Duration.ofSeconds(3);

  /** The longest that a question may take, in nanoseconds, on a machine that is busy. */
  private static final long AT_ONCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  @TempDir private Path directory;
  private NIOServerCnxnFactory factory;
  private ClusterStore store;
  private ClusterMirror mirror;

  private interface Question {
    boolean isTrue() throws ClusterStoreException;
  }

  private void startZooKeeper(int port) throws Exception {
    factory = new NIOServerCnxnFactory();
    factory.configure(new InetSocketAddress("127.0.0.1", port), 50);
    factory.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500));
  }

  @BeforeEach
  void start() throws Exception {
    startZooKeeper(0);
    String quorum = "127.0.0.1:" + factory.getLocalPort();
    store = ClusterStore.connect(quorum, Duration.ofSeconds(10), SESSION);
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.ACTIVE));
    mirror = ClusterMirror.start(quorum, Duration.ofSeconds(10), SESSION, MOST_AGE);
    await(() -> is(VolumeRecord.State.ACTIVE));
  }

  @AfterEach
  void stop() {
    mirror.close();
    store.close();
    factory.shutdown();
  }

  private boolean is(VolumeRecord.State state) throws ClusterStoreException {
    return mirror.volume("disk0").filter(v -> v.state() == state).isPresent();
  }

  private static void await(Question question) {
    for (boolean done = false; !done; ) {
      try {
        done = question.isTrue();
      } catch (ClusterStoreException notNow) {
        done = false;
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void aVolumeOfTheSameNameIsAnother() throws Exception {
    store.beginDelete("disk0", false);
    await(() -> mirror.volume("disk0").orElseThrow().state() == VolumeRecord.State.DELETING);
    store.finishDelete("disk0");
    await(() -> mirror.volume("disk0").isEmpty());
    VolumeSpec other = new VolumeSpec("disk0", 8, 4096, 1000, 1, false, 1 << 27);
    store.createVolume(new VolumeRecord(other, VolumeRecord.State.ACTIVE));
    await(() -> mirror.volume("disk0").filter(v -> v.spec().equals(other)).isPresent());
  }

  @Test
  void questionsAreAnsweredAtOnceWhileZooKeeperIsAwayAndRefusedOnceTheAnswersAreOld()
      throws Exception {
    int port = factory.getLocalPort();
    factory.shutdown();
    for (boolean old = false; !old; ) {
      long asked = System.nanoTime();
      try {
        assertThat(is(VolumeRecord.State.ACTIVE)).isTrue();
      } catch (ClusterStoreException.Unreachable refused) {
        old = true;
        assertThat(refused).hasMessageContaining("has not been heard for");
      }
      assertThat(System.nanoTime() - asked).isLessThan(AT_ONCE_NANOS);
      LockSupport.parkNanos(10_000_000);
    }
    assertThatThrownBy(() -> mirror.servers())
        .isInstanceOf(ClusterStoreException.Unreachable.class);
    startZooKeeper(port);
    store.beginDelete("disk0", false);
    await(() -> is(VolumeRecord.State.DELETING));
  }
}
