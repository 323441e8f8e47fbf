package org.salus.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;
import org.salus.host.netty.Loop;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.RrsRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.WriterLease;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drives one session from its lease to its end. Every method is to be called on the loop. */
final class Mount {
  private static final Logger LOG = LoggerFactory.getLogger(Mount.class);
  private static final Duration TICK = Duration.ofMillis(20);
  private static final int TICKS_PER_HELLO = 50;

  /**
   * The session ends its requests by itself; this is for those that wait for something else in it.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A request's effects, given its id. */
  interface Request {
    List<SessionEffect> start(VolumeSession session, long id, long now);
  }

  /** A request that is not done. */
  private record Waiting(CompletableFuture<SessionEffect.Outcome> result, long since) {}

  private final VolumeSpec spec;
  private final Loop loop;
  private final Nodes nodes;
  private final WriterLease lease;
  private final Endpoint.Session self;
  private final VolumeSession session;
  private final Consumer<SessionError> ended;
  private final Runnable mounted;

  /** The oldest first. */
  private final Map<Long, Waiting> requests = new LinkedHashMap<>();

  private final long patience;
  private final long begin = System.nanoTime();
  private final Stall stall = new Stall();
  private final Trouble trouble = new Trouble();
  private final VolumeDirectory directory;
  private final Accuser accuser;
  private final DamageNotes damage;
  private final Effects handler = new Effects();
  private final Loop.Timer timer;
  private long lastId;
  private int ticks;
  private boolean over;

  /**
   * @param mounted called when the session has mounted
   * @param ended called once, when the session is over
   */
  Mount(
      VolumeSpec spec,
      WriterLease lease,
      Signer signer,
      SessionConfig config,
      ClusterStore store,
      Nodes nodes,
      Loop loop,
      Executor blocking,
      Runnable mounted,
      Consumer<SessionError> ended) {
    this.spec = spec;
    this.loop = loop;
    this.nodes = nodes;
    this.lease = lease;
    this.mounted = mounted;
    this.ended = ended;
    this.patience = config.requestTimeoutNanos();
    this.self = new Endpoint.Session(spec.id(), lease.mountEpoch());
    this.session = new VolumeSession(spec, lease.mountEpoch(), signer, config);
    this.accuser = new Accuser(spec, lease.mountEpoch(), signer, store, blocking);
    this.damage = new DamageNotes(spec, store, blocking);
    directory =
        new VolumeDirectory(store, spec, (region, now) -> loop.execute(() -> changed(region, now)));
    nodes.register(
        self,
        (node, from, message, payload) -> {
          if (node.equals(directory.node(from.region().index(), from.lane()))) {
            onLoop(() -> session.onMessage(from, message, payload, System.nanoTime()));
          }
        });
    timer = loop.scheduleEvery(TICK, this::tick);
  }

  private void onLoop(java.util.function.Supplier<List<SessionEffect>> event) {
    loop.execute(
        () -> {
          if (!over) {
            perform(event.get());
          }
        });
  }

  private void changed(int region, Optional<Versioned<RrsRecord>> now) {
    RrsRecord rrs = now.map(Versioned::value).orElse(null);
    if (over || rrs == null) {
      return;
    }
    if (rrs.state() == RrsRecord.State.SERVING) {
      greet();
      perform(session.onRrs(region, rrs.epoch(), rrs.members().size(), System.nanoTime()));
    } else if (rrs.state() == RrsRecord.State.FULL) {
      end(SessionError.NO_SPACE);
    }
  }

  /** Members answer on the connection on which they last heard of the session. */
  private void greet() {
    for (String node : directory.nodes()) {
      nodes.send(node, self, new Endpoint.Member(spec.regionId(0), 0), new Message.Hello(), null);
    }
  }

  private void tick() {
    if (ticks++ % TICKS_PER_HELLO == 0) {
      greet();
    }
    if (!over) {
      perform(session.onTick(System.nanoTime()));
    }
    if (!over) {
      watchOldest(System.nanoTime());
    }
  }

  /** Neither a request nor the mount itself waits for ever, or without a word. */
  private void watchOldest(long now) {
    boolean mounting = !session.mounted();
    if (!mounting && requests.isEmpty()) {
      return;
    }
    long since = mounting ? begin : requests.values().iterator().next().since;
    if (stall.isDue(since, now)) {
      LOG.warn(
          "volume {}: {} since {} s, up to {} s: {}",
          spec.name(),
          mounting ? "is being mounted" : requests.size() + " requests wait, the oldest",
          TimeUnit.NANOSECONDS.toSeconds(now - since),
          TimeUnit.NANOSECONDS.toSeconds(patience),
          waitsFor());
    }
    if (now - since >= patience + (mounting ? 0 : GRACE_NANOS)) {
      end(SessionError.TIMED_OUT);
    }
  }

  /** What keeps the volume from answering, in words. */
  String waitsFor() {
    return session.dispute().isEmpty()
        ? Stall.reason(spec, directory)
        : session.dispute()
            + "; one of them is wrong, and to be left out it takes another server: start one more, or stop the one that is wrong";
  }

  /** What ends this session, if anything but time and order does. */
  Trouble trouble() {
    return trouble;
  }

  /**
   * Starts a request; the future has the effect that ended it, {@code Done}, {@code ZeroMap} or
   * {@code Failed}.
   */
  CompletableFuture<SessionEffect.Outcome> request(Request r) {
    long id = ++lastId;
    CompletableFuture<SessionEffect.Outcome> result = new CompletableFuture<>();
    requests.put(id, new Waiting(result, System.nanoTime()));
    perform(r.start(session, id, System.nanoTime()));
    return result;
  }

  /** Takes no more requests and ends when those before are done. */
  void close() {
    if (!over) {
      perform(session.close(System.nanoTime()));
    }
  }

  /** Ends at once; outstanding requests fail. */
  void end(SessionError why) {
    if (!over) {
      perform(session.end(why, System.nanoTime()));
    }
  }

  private void perform(List<SessionEffect> effects) {
    effects.forEach(e -> e.performBy(handler));
  }

  /** What is done for each effect. */
  private final class Effects implements SessionEffect.Handler {
    @Override
    public void send(Send x) {
      Mount.this.send(x);
    }

    @Override
    public void done(SessionEffect.Done x) {
      finish(x);
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap x) {
      finish(x);
    }

    @Override
    public void failed(SessionEffect.Failed x) {
      finish(x);
    }

    private void finish(SessionEffect.Outcome x) {
      requests.remove(x.id()).result.complete(x);
    }

    @Override
    public void mounted(SessionEffect.Mounted x) {
      damage.begin();
      mounted.run();
    }

    @Override
    public void ended(SessionEffect.Ended x) {
      stop(x.why());
    }

    @Override
    public void lookUp(SessionEffect.LookUp x) {
      // The directory follows every change.
    }

    @Override
    public void wentBack(SessionEffect.WentBack x) {
      LOG.warn(
          "volume {}: all servers of a region lost writes that were acknowledged and not flushed, as in a power cut; the volume"
              + " is as it was after PUT {} of {}",
          spec.name(),
          x.prefix(),
          x.acked());
    }

    @Override
    public void stalled(Stalled x) {
      LOG.warn(
          "volume {} region {} member {} ({}) {}",
          spec.name(),
          x.region(),
          x.lane(),
          node(x.region(), x.lane()),
          x.what());
      accuser.tell(x);
    }

    @Override
    public void disagree(SessionEffect.Disagree x) {
      logError(x.region(), x.lane(), x.what());
      accuser.tell(x);
    }

    @Override
    public void report(SessionEffect.Report x) {
      logError(x.region(), x.lane(), x.what());
      trouble.note(x);
      accuser.tell(x);
    }

    private void logError(int region, int lane, String what) {
      LOG.error(
          "volume {} region {} member {} ({}): {}",
          spec.name(),
          region,
          lane,
          node(region, lane),
          what);
    }

    @Override
    public void unreadable(SessionEffect.Unreadable x) {
      damage.add(x);
    }

    @Override
    public void readable(SessionEffect.Readable x) {
      damage.remove(x);
    }
  }

  private String node(int region, int lane) {
    return region < 0 || lane < 0 ? "all" : directory.node(region, lane);
  }

  private void send(Send s) {
    if (s.to() instanceof Endpoint.Member m) {
      RegionId region = m.region();
      String node = directory.node(region.index(), m.lane());
      if (node != null) {
        nodes.send(node, self, m, s.message(), s.payload());
      }
    }
  }

  private void stop(SessionError why) {
    over = true;
    timer.cancel();
    directory.close();
    nodes.unregister(self);
    ended.accept(why);
  }

  WriterLease lease() {
    return lease;
  }
}
