package org.salus.client;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.salus.client.cluster.HandleNote;
import org.salus.client.cluster.MountTools;
import org.salus.client.loop.GuardedLoop;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.mount.EarlierReaders;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.MountRules;
import org.salus.core.session.SessionConfig;
import org.salus.host.zk.ClusterStoreException;

/**
 * Members in memory that stop, lose messages, have no room or lose ZooKeeper at random, and the
 * volumes that are opened on them one after the other. A thread runs their loop; its clock goes
 * faster than the real one.
 */
final class FuzzedCluster implements AutoCloseable {
  /** By the loop's clock. */
  private static final Duration STEP = Duration.ofMillis(1);

  /** By the loop's clock. A volume is mounted again within this time. */
  private static final int LONG_FAULT = 8_000;

  private static final long REAL_PAUSE_NANOS = 20_000;
  private static final long PATIENCE_SECONDS = 60;

  private final ScriptedLoop loop = new ScriptedLoop();
  private final MemoryMembers members = new MemoryMembers(MemoryMembers.SPEC, loop);
  private final ScriptedStore store = new ScriptedStore();
  private final Random random;
  private final Thread runner = new Thread(this::run, "fuzz-loop");

  /** What went wrong on the loop, outside of the driver. */
  private final CompletableFuture<Void> broken = new CompletableFuture<>();

  private volatile boolean harms;
  private volatile boolean stopped;

  /** Ends the fault that is there; null for none. */
  private Runnable heal;

  private long healAt;

  /** A volume as it is opened. */
  record Opened(
      RemoteVolume volume, Outstanding outstanding, RequestMemory memory, MountHost host) {}

  FuzzedCluster(long seed) {
    random = new Random(seed);
    runner.start();
  }

  private void run() {
    loop.owner = Thread.currentThread();
    try {
      while (!stopped) {
        if (heal != null && (loop.nanoTime() >= healAt || !harms)) {
          heal.run();
          heal = null;
        } else if (heal == null && harms && random.nextInt(100) == 0) {
          harm();
        }
        loop.advance(STEP);
        LockSupport.parkNanos(REAL_PAUSE_NANOS);
      }
    } catch (RuntimeException | Error bug) {
      broken.completeExceptionally(bug);
    }
  }

  private void harm() {
    int millis = random.nextInt(8) == 0 ? random.nextInt(LONG_FAULT) : random.nextInt(200);
    healAt = loop.nanoTime() + Duration.ofMillis(millis).toNanos();
    switch (random.nextInt(6)) {
      case 0 -> {
        members.silent = true;
        heal = () -> members.silent = false;
      }
      case 1 -> {
        members.losesOneOf = 1 + random.nextInt(10);
        heal = () -> members.losesOneOf = 0;
      }
      case 2 -> {
        members.refusesChanges = true;
        heal = () -> members.refusesChanges = false;
      }
      case 3 -> {
        members.setFull(true);
        heal = () -> members.setFull(false);
      }
      case 4 -> {
        members.reader = random.nextInt(3);
        heal = () -> members.reader = -1;
      }
      default -> {
        if (store.isHeld()) {
          store.loseSession();
          heal = store::forgetSession;
        }
      }
    }
  }

  /** Whether things go wrong from now on. What is wrong ends soon after this is set to false. */
  void setHarms(boolean on) {
    harms = on;
  }

  /** Opens the volume, as soon as nobody has it. */
  Opened open(Executor callbacks, long most) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      CompletableFuture<Opened> opened = new CompletableFuture<>();
      loop.execute(() -> begin(callbacks, most, opened));
      try {
        await(opened);
        return opened.join();
      } catch (RuntimeException busy) {
        if (System.nanoTime() - end > 0) {
          throw busy;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  private void begin(Executor callbacks, long most, CompletableFuture<Opened> opened) {
    VolumeFaults faults = new VolumeFaults(MemoryMembers.SPEC.name());
    VolumeLoop guarded = new GuardedLoop(loop, faults);
    RequestQueue requests = new RequestQueue(MemoryMembers.SPEC, guarded);
    Duration timeout = MemoryClient.REQUEST_TIMEOUT;
    MountTools tools =
        new MountTools(
            new SessionConfig(16, 256, 100_000_000L, timeout.toNanos(), 64, 64 << 10, 64 << 10),
            MountConfig.defaults(),
            new EarlierReaders(MountRules.PAPER),
            MemoryMembers.SECRET,
            store,
            members::transport,
            guarded,
            loop,
            HandleNote.none(KeptMount.none(ScriptedStore.MINE)));
    MountHost host = new MountHost(MemoryMembers.SPEC, tools, requests);
    RequestMemory memory = new RequestMemory(most);
    // Callers wait for memory in real time, which passes on a busy machine.
    Outstanding outstanding = new Outstanding("disk", memory, Duration.ofSeconds(PATIENCE_SECONDS));
    RemoteVolume volume =
        new RemoteVolume(MemoryMembers.SPEC, guarded, requests, host, outstanding, callbacks);
    faults.attach(volume);
    try {
      host.mount(volume.acquire(false));
    } catch (ClusterStoreException busy) {
      opened.completeExceptionally(busy);
      return;
    }
    host.opened()
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                opened.completeExceptionally(failed);
              } else {
                opened.complete(new Opened(volume, outstanding, memory, host));
              }
            });
  }

  /** Makes the driver meet a bug, which ends the volume that is open. */
  void plantBug() {
    loop.execute(() -> members.bug = new AssertionError("planted"));
  }

  void removeBug() {
    loop.execute(() -> members.bug = null);
  }

  /** Sessions that members would answer. */
  List<?> sessions() {
    CompletableFuture<List<?>> found = new CompletableFuture<>();
    loop.execute(() -> found.complete(List.copyOf(members.sessions())));
    await(found);
    return found.join();
  }

  /** Waits for a future, which is lost if it is not done in a minute. */
  void await(CompletableFuture<?> future) {
    CompletableFuture.anyOf(future.copy().handle((done, failed) -> done), broken)
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .handle(
            (done, failed) -> {
              if (failed != null) {
                throw new AssertionError("a future is lost: " + future, failed);
              }
              return done;
            })
        .join();
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    runner.join();
  }
}
