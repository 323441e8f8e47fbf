package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Claim;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.MountEffect;
import org.salus.core.mount.MountKeeper;
import org.salus.core.mount.MountRules;

/**
 * Two ways lead to ZooKeeper, as to two of its servers. One falls silent, and the lease goes on.
 */
@Timeout(60)
class SilentServerTest {
  private static final MountConfig LEASES = MountConfig.of(Duration.ofSeconds(6).toNanos());
  private static final int TICK_MILLIS = 500;
  private static final String VOLUME = "disk0";
  private static final VolumeSpec SPEC = new VolumeSpec(VOLUME, 7, 4096, 1000, 1, false, 1 << 27);

  @TempDir private Path directory;
  private NIOServerCnxnFactory factory;
  private CuttingProxy left;
  private CuttingProxy right;
  private ClusterStore store;

  @BeforeEach
  void start() throws Exception {
    factory = new NIOServerCnxnFactory();
    factory.configure(new java.net.InetSocketAddress("127.0.0.1", 0), 50);
    factory.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS));
    left = new CuttingProxy(factory.getLocalPort());
    right = new CuttingProxy(factory.getLocalPort());
    store =
        ClusterStore.connect(
            "127.0.0.1:" + left.port() + ",127.0.0.1:" + right.port(),
            Duration.ofSeconds(10),
            Duration.ofNanos(LEASES.sessionNanos()));
    store.createVolume(new VolumeRecord(SPEC, VolumeRecord.State.ACTIVE));
  }

  @AfterEach
  void stop() throws Exception {
    store.close();
    left.close();
    right.close();
    factory.shutdown();
  }

  @Test
  void readsGoOnWhenOneServerOfZooKeeperFallsSilent() throws Exception {
    WriterClaim claim = new WriterClaim("me", "", false);
    Holder holder = new Holder(claim);
    holder.take(claim);
    CuttingProxy used = left.accepted() > 0 ? left : right;
    CuttingProxy other = used == left ? right : left;
    holder.tickUntilConfirmed();
    used.fallSilent();
    long silentSince = System.nanoTime();
    while (holder.confirmedAt - silentSince < 0) {
      holder.tick();
      assertThat(System.nanoTime() - holder.readsUntil)
          .as("nanoseconds since the lease has ended")
          .isNegative();
    }
    assertThat(other.accepted()).isPositive();
  }

  /** Holds a lease as a client does. */
  private final class Holder {
    private final MountKeeper keeper;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private WriterLease lease;
    private long readsUntil;

    /** When the newest confirmation was asked for that has come. */
    private long confirmedAt;

    private record Answer(MountEffect.Confirm asked, WriterLease.Confirmation outcome) {}

    Holder(WriterClaim claim) {
      keeper = new MountKeeper(LEASES, MountRules.PAPER, KeptMount.none(claim.claimant()));
    }

    void take(WriterClaim claim) throws ClusterStoreException {
      confirmedAt = System.nanoTime();
      lease = store.acquireWriter(SPEC, claim, () -> {});
      Claim stands = new Claim(lease.mountEpoch(), confirmedAt, List.of());
      readsUntil =
          ((MountEffect.Mount) keeper.claimed(stands, System.nanoTime()).get(0)).readsUntil();
    }

    void tickUntilConfirmed() throws InterruptedException {
      long before = confirmedAt;
      while (confirmedAt == before) {
        tick();
      }
    }

    /** Waits a little for an answer, and asks for the next confirmation when it is due. */
    void tick() throws InterruptedException {
      for (MountEffect e : keeper.onTick(System.nanoTime())) {
        MountEffect.Confirm asked = (MountEffect.Confirm) e;
        lease.confirm(outcome -> answers.add(new Answer(asked, outcome)));
      }
      Answer a = answers.poll(10, TimeUnit.MILLISECONDS);
      if (a != null && a.outcome == WriterLease.Confirmation.STANDS) {
        confirmedAt = Math.max(confirmedAt, a.asked.askedAt());
        keeper
            .confirmed(a.asked, System.nanoTime())
            .forEach(e -> readsUntil = ((MountEffect.Extend) e).readsUntil());
      } else if (a != null) {
        assertThat(a.outcome).isEqualTo(WriterLease.Confirmation.UNKNOWN);
        keeper.unconfirmed(a.asked);
      }
    }
  }
}
