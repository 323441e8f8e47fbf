package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.salus.client.cluster.HandleNote;
import org.salus.client.cluster.MountTools;
import org.salus.client.loop.GuardedLoop;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.EarlierReaders;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.MountEffect;
import org.salus.core.mount.MountRules;
import org.salus.core.session.Acknowledgements;
import org.salus.core.session.SessionConfig;
import org.salus.host.zk.ClusterStoreException;

/** A volume over members in memory, as a client opens it, on a scripted loop. */
final class MemoryClient {
  static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  /** Longer than any request or mount takes before it fails. */
  static final Duration UNTIL_TIMED_OUT = REQUEST_TIMEOUT.plusSeconds(3);

  final ScriptedLoop loop;
  final VolumeLoop guarded;
  final MemoryMembers members;
  final ScriptedStore store;

  final MountTools tools;
  final RequestQueue requests;
  final MountHost host;
  final RemoteVolume volume;

  MemoryClient() {
    this(false);
  }

  /**
   * @param acceptsLoss whether the volume goes on when what was acknowledged is lost
   */
  MemoryClient(boolean acceptsLoss) {
    this(MountConfig.defaults().acceptingLoss(acceptsLoss));
  }

  MemoryClient(MountConfig times) {
    this(MemoryMembers.SPEC, times, session());
  }

  MemoryClient(VolumeSpec spec, MountConfig times, SessionConfig session) {
    this(spec, times, session, Runnable::run, Long.MAX_VALUE);
  }

  /**
   * @param callbacks the executor of callbacks
   * @param memory bytes that requests may hold
   */
  MemoryClient(
      VolumeSpec spec, MountConfig times, SessionConfig session, Executor callbacks, long memory) {
    this(new Cluster(spec, new ScriptedLoop()), times, session, callbacks, memory, HandleNote.NONE);
  }

  /** A handle that is to go on in another process. */
  MemoryClient(HandleNote note) {
    this(
        new Cluster(MemoryMembers.SPEC, new ScriptedLoop()),
        note.following(MountConfig.defaults()),
        session(),
        Runnable::run,
        Long.MAX_VALUE,
        note);
  }

  /** The next process of the same user. The one before does nothing any more. */
  MemoryClient next(HandleNote note, boolean acceptsLoss) {
    return new MemoryClient(
        new Cluster(MemoryMembers.SPEC, loop, members, store),
        note.following(MountConfig.defaults().acceptingLoss(acceptsLoss)),
        session(),
        Runnable::run,
        Long.MAX_VALUE,
        note);
  }

  /** What clients have in common. */
  private record Cluster(
      VolumeSpec spec, ScriptedLoop loop, MemoryMembers members, ScriptedStore store) {
    Cluster(VolumeSpec spec, ScriptedLoop loop) {
      this(spec, loop, new MemoryMembers(spec, loop), new ScriptedStore());
    }
  }

  private MemoryClient(
      Cluster cluster,
      MountConfig times,
      SessionConfig session,
      Executor callbacks,
      long memory,
      HandleNote note) {
    VolumeSpec spec = cluster.spec;
    loop = cluster.loop;
    members = cluster.members;
    store = cluster.store;
    VolumeFaults faults = new VolumeFaults(spec.name());
    guarded = new GuardedLoop(loop, faults);
    requests = new RequestQueue(spec, guarded);
    tools =
        new MountTools(
            session,
            times,
            new EarlierReaders(MountRules.PAPER),
            MemoryMembers.SECRET,
            store,
            members::transport,
            guarded,
            loop,
            note);
    host = new MountHost(spec, tools, requests);
    volume =
        new RemoteVolume(
            spec,
            guarded,
            requests,
            host,
            new Outstanding(spec.name(), new RequestMemory(memory), REQUEST_TIMEOUT),
            callbacks);
    faults.attach(volume);
  }

  /** A client whose volume is mounted and stops at the first change that fails. */
  static MemoryClient stopping(long memory) throws ClusterStoreException {
    MemoryClient client = opened(Runnable::run, memory);
    client.volume.stopAtFailedWrite();
    return client;
  }

  /** A client whose volume is mounted, with these choices. */
  static MemoryClient opened(Executor callbacks, long memory) throws ClusterStoreException {
    MemoryClient client =
        new MemoryClient(MemoryMembers.SPEC, MountConfig.defaults(), session(), callbacks, memory);
    client.open();
    return client;
  }

  private static SessionConfig session() {
    return new SessionConfig(
        16, 256, 100_000_000L, REQUEST_TIMEOUT.toNanos(), 64, 64 << 10, 64 << 10);
  }

  /** Takes the lease and begins to mount. */
  void open() throws ClusterStoreException {
    host.mount(host.acquire(false));
    loop.settle();
  }

  /** A client whose volume is mounted. */
  static MemoryClient opened() throws ClusterStoreException {
    MemoryClient client = new MemoryClient();
    client.open();
    assertThat(client.host.opened()).isCompleted();
    return client;
  }

  /** A client that has written 1 to block 5, and has just lost its session in ZooKeeper. */
  static MemoryClient withoutItsZooKeeperSession() throws Exception {
    MemoryClient c = opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.store.loseSession();
    c.store.forgetSession();
    return c;
  }

  /** A session of its own, under an epoch of its own, which begins to mount. */
  SessionHost mountAs(long mountEpoch, SessionHost.Listener listener) {
    SessionHost session =
        new SessionHost(
            MemoryMembers.SPEC,
            new MountEffect.Mount(mountEpoch, 0, 0, 0, 0, false),
            Acknowledgements.NONE,
            tools,
            listener);
    session.start();
    loop.settle();
    return session;
  }

  /** All servers lose power, ZooKeeper's too, while this client lives. */
  void serversLosePower() {
    store.loseSession();
    members.losePower();
  }

  /** The servers run again, and ZooKeeper has ended the lost session. */
  void serversComeBack() {
    store.forgetSession();
    loop.advance(Duration.ofSeconds(2));
  }

  /** Writes one byte, without waiting. */
  CompletableFuture<Void> write(long offset, int value) {
    CompletableFuture<Void> written =
        volume.write(offset, ByteBuffer.wrap(new byte[] {(byte) value}));
    loop.settle();
    return written;
  }

  /** Reads one byte, which must come at once. */
  int read(long offset) {
    ByteBuffer dst = ByteBuffer.allocate(1);
    CompletableFuture<Void> read = volume.read(offset, dst);
    loop.settle();
    assertThat(read).isCompleted();
    return dst.get(0);
  }

  /** Begins to read one byte. */
  CompletableFuture<Void> beginRead(long offset) {
    CompletableFuture<Void> read = volume.read(offset, ByteBuffer.allocate(1));
    loop.settle();
    return read;
  }

  /** Why a change failed of which it is not known whether it took effect. */
  static SalusException reason(CompletableFuture<?> request) {
    Throwable failure = failure(request);
    assertThat(failure).isInstanceOf(SalusException.UnknownOutcome.class);
    return ((SalusException.UnknownOutcome) failure).reason();
  }

  /** Why a request failed. */
  static Throwable failure(CompletableFuture<?> request) {
    assertThat(request).isCompletedExceptionally();
    try {
      request.join();
      throw new AssertionError("it did not fail");
    } catch (CompletionException failed) {
      return failed.getCause();
    }
  }
}
