package org.salus.regionserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.event.MemberEvents;
import org.salus.core.log.LogBefore;
import org.salus.core.log.Position;
import org.salus.core.message.Message;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.scan.LogScan;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.hdfs.CertificateGuard;
import org.salus.datanode.hdfs.replica.VolumeFileException;
import org.salus.regionserver.hdfs.NotCreatedException;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.ShortSegmentException;
import org.salus.regionserver.meter.MemberMeter;
import org.salus.regionserver.meter.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one region member: its events arrive on a loop, its effects go to the network and to HDFS
 * (§4). Thread-safe.
 */
public final class MemberHost {
  private static final Logger LOG = LoggerFactory.getLogger(MemberHost.class);

  /**
   * The services that the host needs. The loop, an I/O thread or a reader calls them; they must not
   * block.
   */
  public interface Surroundings {
    /** Sends a message; it may get lost. {@code payload} may be null. */
    void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload);

    /** Whether an answer to this session would find a connection. */
    boolean reaches(Endpoint.Session session);

    /**
     * Ends the epoch, because a member differs from the others. Called at M0.
     *
     * @param place the member's place in the chain, or -1 if either of two may be the wrong one
     * @param what what the member did, for people
     */
    void suspect(int place, String what);

    /**
     * Says that nothing comes through the member at this place. Another member may be the cause.
     */
    void stalled(int place, String what);

    /** Says that the epoch serves. Called at M0. */
    void serving();

    /**
     * Says that the epoch cannot open because the DataNodes have no room. Called at M0, repeatedly
     * until it serves.
     */
    void full();

    /** Says that the member has failed, so its region needs a new epoch. Called at most once. */
    void stopped(String why);

    /**
     * Says that the NameNode does not let the epoch open, so the region needs another one. The
     * member has stopped, but is not to blame. Called at most once.
     */
    void refused(String why);
  }

  /**
   * Pools of threads for blocking work that may run in parallel. Reads, flushes and the compactions
   * of each level have separate threads, so no kind waits for another.
   */
  public record Pools(Executor reads, Executor flushes, IntFunction<Executor> compactions) {}

  /**
   * The threads that run one member's work.
   *
   * @param loop runs the member itself, one task after the other
   * @param io runs blocking HDFS calls, one after the other
   * @param pools run other blocking work; all members of the server share them
   */
  public record Threads(Executor loop, Executor io, Pools pools) {}

  private static final long TIDY_AGAIN_NANOS = 5_000_000_000L;
  private static final long REGISTER_AGAIN_NANOS = 1_000_000_000L;

  private final MemberEvents member;
  private final Endpoint.Member self;
  private final RegionStore store;
  private final MemberTasks tasks;
  private final Pools pools;
  private final Surroundings surroundings;
  private final EpochLink link;
  private final MemberReads reads;
  private final TurnReads gets;
  private final MemberMeter meter;

  private final MemberWaits waits = new MemberWaits();
  private final OpeningTimes times = new OpeningTimes();
  private final Effects handler = new Effects();
  private volatile MemberEffect.Tidy manifest;

  /** The effect that failed and is to be performed again, or null. */
  private MemberEffect.Tidy untidy;

  private long untidySince;

  /** Whether the NameNode could not be told that the epoch serves, and the member is to hear it. */
  private boolean unregistered;

  private long unregisteredSince;

  public MemberHost(
      MemberEvents member,
      Endpoint.Member self,
      int blockSize,
      RegionStore store,
      EpochLink link,
      Threads threads,
      Surroundings surroundings,
      MemberMeter meter) {
    this.member = member;
    this.meter = meter;
    this.self = self;
    this.store = store;
    this.link = link;
    this.pools = threads.pools();
    this.surroundings = surroundings;
    this.tasks = new MemberTasks(self, threads, () -> store.close(), this::stopped);
    this.reads =
        new MemberReads(self, blockSize, store, tasks, pools.reads(), surroundings, meter.volume());
    this.gets = new TurnReads(tasks::onLoop, blockSize, reads::serveAtOnce, reads::serveLater);
  }

  public void start() {
    tasks.onLoop(
        () -> {
          times.start();
          perform(member.start(System.nanoTime()));
        });
  }

  /** Hands a message to the member. The payload belongs to the member from now on. */
  public void deliver(Endpoint from, Message m, ByteBuffer payload) {
    deliver(from, m, payload, () -> {});
  }

  /**
   * Same as {@link #deliver(Endpoint, Message, ByteBuffer)}.
   *
   * @param taken runs once, when the message does not wait any more
   */
  void deliver(Endpoint from, Message m, ByteBuffer payload, Runnable taken) {
    meter.volume().came(m, payload);
    tasks.onLoop(
        () -> {
          long now = System.nanoTime();
          meter.comes(m, now);
          perform(member.onMessage(from, m, payload, now));
        },
        taken);
  }

  /** Lets the member act on the passing of time. Call it every few tens of milliseconds. */
  public void tick() {
    tasks.onLoop(
        () -> {
          if (untidy != null && System.nanoTime() - untidySince > TIDY_AGAIN_NANOS) {
            MemberEffect.Tidy again = untidy;
            untidy = null;
            tidy(again);
          }
          if (unregistered && System.nanoTime() - unregisteredSince > REGISTER_AGAIN_NANOS) {
            unregistered = false;
            perform(member.onRegistered(false, System.nanoTime()));
          }
          perform(member.onTick(System.nanoTime()));
          if (meter.waits().asks(System.nanoTime())) {
            lookAtWaits();
          }
          if (meter.asks(System.nanoTime())) {
            meter.hears(member.figures(), System.nanoTime());
          }
        });
  }

  private void lookAtWaits() {
    Set<Waits.Read> underWay = new HashSet<>();
    reads.underWay(g -> underWay.add(Waits.Read.of(g)));
    long volume = self.region().volume();
    meter
        .waits()
        .hears(
            waits.byCause(
                member.waiting(),
                underWay,
                r -> !surroundings.reaches(new Endpoint.Session(volume, r.mountEpoch()))),
            System.nanoTime());
  }

  /** Stops the member at once. The replicas stay as they are; the next epoch recovers them. */
  public void stop() {
    tasks.stop();
    meter.end();
  }

  private void refused(String why) {
    meter.end();
    surroundings.refused(why);
  }

  private void stopped(String why) {
    meter.end();
    surroundings.stopped(why);
  }

  /** Whether the member has failed or was stopped. */
  boolean isStopped() {
    return tasks.isStopped();
  }

  /** The newest manifest that is on disk, or null before the epoch's first. */
  MemberEffect.Tidy manifest() {
    return manifest;
  }

  /** Says that the own replica of a file was replaced. Later reads use the new one. */
  void replaced(FilePath.Kind kind, long number) {
    tasks.onIo(() -> store.replaced(kind, number), failed -> {});
  }

  private void perform(List<MemberEffect> effects) {
    effects.forEach(e -> e.performBy(handler));
  }

  /** Performs each effect. Called on the loop. */
  private final class Effects implements MemberEffect.Handler {

    // ---- messages ----

    @Override
    public void send(Send x) {
      meter.goes(x.message(), System.nanoTime());
      surroundings.send(self, x.to(), x.message(), x.payload());
    }

    @Override
    public void serveGet(MemberEffect.ServeGet x) {
      if (reads.mayAsk()) {
        gets.add(x);
      }
    }

    // ---- words to the master ----

    @Override
    public void serving(MemberEffect.Serving x) {
      times.done("register");
      LOG.info("{} serves epoch {} after {}", self, x.epoch(), times);
      surroundings.serving();
    }

    @Override
    public void suspect(MemberEffect.Suspect x) {
      LOG.error("{}: {}", self, x.what());
      surroundings.suspect(x.place(), x.what());
    }

    @Override
    public void stalled(Stalled x) {
      LOG.warn("{}: member {} {}", self, x.lane(), x.what());
      surroundings.stalled(x.lane(), x.what());
    }

    @Override
    public void unable(MemberEffect.Unable x) {
      LOG.error("{}: {}", self, x.why());
      tasks.fail(x.why());
    }

    // ---- files at the NameNode ----

    @Override
    public void createSegment(MemberEffect.CreateSegment x) {
      tasks.onIo(
          () -> {
            store.create(x);
            tasks.onLoop(
                () ->
                    perform(member.onSegmentCreated(x.segment(), true, false, System.nanoTime())));
          },
          failed -> notCreated(x.segment(), failed));
    }

    @Override
    public void createCheckpoint(MemberEffect.CreateCheckpoint x) {
      tasks.onIo(() -> store.create(x), failed -> {}); // asked again until it is built
    }

    @Override
    public void recoverSegments(MemberEffect.RecoverSegments x) {
      times.done("agree");
      tasks.onIo(() -> recover(x), MemberHost.this::notRecovered);
    }

    @Override
    public void registerEpoch(MemberEffect.RegisterEpoch x) {
      times.done("manifest");
      tasks.onIo(
          () -> {
            store.epochServes(x.proof());
            tasks.onLoop(() -> perform(member.onRegistered(true, System.nanoTime())));
          },
          failed -> {
            unregistered = true;
            unregisteredSince = System.nanoTime();
          });
    }

    @Override
    public void tidy(MemberEffect.Tidy x) {
      manifest = x;
      MemberHost.this.tidy(x);
    }

    // ---- the own replicas of the log ----

    @Override
    public void append(MemberEffect.Append x) {
      MemberHost.this.append(x);
    }

    @Override
    public void scanLog(MemberEffect.ScanLog x) {
      tasks.onIo(
          () -> openAndScan(x),
          failed -> tasks.fail("cannot read its log: " + failed.getMessage()));
    }

    @Override
    public void replayLog(MemberEffect.ReplayLog x) {
      times.done("recover");
      tasks.onIo(() -> replay(x), MemberHost.this::notReplayed);
    }

    // ---- the own replicas of checkpoints ----

    @Override
    public void flush(MemberEffect.Flush x) {
      build(x.checkpoint(), over -> store.flush(x, over), pools.flushes());
    }

    @Override
    public void compact(MemberEffect.Compact x) {
      build(x.checkpoint(), over -> store.compact(x, over), pools.compactions().apply(x.level()));
    }

    @Override
    public void loadPages(MemberEffect.LoadPages x) {
      tasks.onPool(pools.reads(), () -> load(x));
    }

    @Override
    public void loadRoots(MemberEffect.LoadRoots x) {
      tasks.onPool(pools.reads(), () -> readRoots(x));
    }
  }

  // ---- the log ----

  private void openAndScan(MemberEffect.ScanLog x) throws IOException {
    LogBefore before;
    try {
      before = store.openEpoch(link);
    } catch (VolumeFileException e) {
      if (e.kind() != VolumeFileException.Kind.REFUSED) {
        throw e;
      }
      tasks.onLoop(() -> tasks.fail(e.getMessage(), this::refused));
      return;
    }
    LogScan.Found found = store.scan(x.known(), link, before);
    tasks.onLoop(
        () -> {
          times.done("scan");
          perform(member.onScanned(found, System.nanoTime()));
        });
  }

  private void recover(MemberEffect.RecoverSegments x) throws IOException {
    RegionStore.Recovery done = store.recover(x);
    tasks.onLoop(() -> perform(answer(done)));
  }

  private List<MemberEffect> answer(RegionStore.Recovery done) {
    long now = System.nanoTime();
    return done.refuted() != null
        ? member.onRefuted(done.refuted().holder(), done.refuted().end(), now)
        : done.behind().isEmpty()
            ? member.onRecovered(true, now)
            : member.onBehind(done.behind(), now);
  }

  private void notRecovered(IOException why) {
    perform(member.onRecovered(false, System.nanoTime()));
    failIfForeign(why);
  }

  private void replay(MemberEffect.ReplayLog x) throws IOException {
    store.replay(x, r -> tasks.onLoop(() -> member.onReplay(r, System.nanoTime())));
    try {
      store.lookAtOwn(x, own -> tasks.onLoop(() -> member.onOwnReplica(own, System.nanoTime())));
    } catch (IOException notNow) { // the member asks again
      LOG.warn("{}: cannot look at its own replicas now: {}", self, notNow.toString());
    }
    tasks.onLoop(
        () -> {
          times.done("replay");
          perform(member.onReplayed(System.nanoTime()));
        });
  }

  // ---- checkpoints ----

  private interface Build {
    RegionStore.Built run(BooleanSupplier over) throws IOException, UnreadableException;
  }

  private void build(long checkpoint, Build how, Executor pool) {
    tasks.onPool(pool, () -> buildNow(checkpoint, how, pool));
  }

  private void buildNow(long checkpoint, Build how, Executor pool) {
    try {
      RegionStore.Built b = how.run(tasks::isStopped);
      tasks.onLoop(
          () ->
              perform(
                  member.onBuilt(checkpoint, b.length(), b.crc(), b.roots(), System.nanoTime())));
    } catch (NotCreatedException notYet) {
      LOG.info("{}: checkpoint {} is built later: {}", self, checkpoint, notYet.getMessage());
      build(checkpoint, how, pool); // tasks of other members that wait for this thread run first
    } catch (IOException | UnreadableException failed) {
      if (!tasks.isStopped()) {
        LOG.error("{}: checkpoint {} cannot be built: {}", self, checkpoint, failed.toString());
      }
      tasks.onLoop(
          () -> tasks.fail("cannot build checkpoint " + checkpoint + ": " + failed.getMessage()));
    }
  }

  private void load(MemberEffect.LoadPages x) {
    for (long page : x.pages()) {
      try {
        byte[] leaves = store.leaves(page, x.checkpoints());
        tasks.onLoop(
            () -> perform(member.onPageLoaded(x.version(), page, leaves, System.nanoTime())));
      } catch (UnreadableException lost) {
        tasks.onLoop(
            () ->
                perform(
                    member.onPageUnreadable(x.version(), lost.getMessage(), System.nanoTime())));
      }
    }
  }

  private void readRoots(MemberEffect.LoadRoots x) {
    try {
      store.roots(x.checkpoints(), (page, root) -> tasks.onLoop(() -> member.onRoot(page, root)));
      tasks.onLoop(() -> perform(member.onRootsLoaded(System.nanoTime())));
    } catch (UnreadableException lost) {
      tasks.onLoop(
          () -> tasks.fail("no replica of its checkpoints can be read: " + lost.getMessage()));
    }
  }

  /**
   * Stops the member if the NameNode refuses its certificates. Then the secrets differ, so a retry
   * cannot help.
   */
  private void failIfForeign(IOException why) {
    if (why instanceof VolumeFileException v
        && v.kind() == VolumeFileException.Kind.REFUSED
        && why.getMessage().contains(CertificateGuard.NOT_CERTIFIED)) {
      tasks.fail("the NameNode refuses its certificates: " + why.getMessage());
    }
  }

  /**
   * Completes and deletes files. HDFS copies only completed files, so a failed attempt is repeated
   * until it succeeds or a newer manifest comes.
   */
  private void tidy(MemberEffect.Tidy x) {
    tasks.onIo(
        () -> store.tidy(x),
        failed -> {
          untidy = manifest;
          untidySince = System.nanoTime();
        });
  }

  private void notReplayed(IOException why) {
    String what = "cannot replay its log: " + why.getMessage();
    if (why instanceof ShortSegmentException s) {
      perform(member.onReplayFailed(s.segment(), what, System.nanoTime()));
    } else {
      tasks.fail(what);
    }
  }

  private void notCreated(long segment, IOException why) {
    boolean noSpace =
        why instanceof VolumeFileException v && v.kind() == VolumeFileException.Kind.NO_SPACE;
    perform(member.onSegmentCreated(segment, false, noSpace, System.nanoTime()));
    if (noSpace) {
      surroundings.full();
    }
    failIfForeign(why);
  }

  private void append(MemberEffect.Append a) {
    if (!waits.anyQueued() && store.isWriting(a.at().segment())) {
      appendNow(a);
      return;
    }
    waits.queued(a);
    tasks.onIo(
        () -> {
          store.open(a.at().segment(), this::replicaFailed);
          appendNow(a);
          waits.asked();
        },
        failed -> tasks.fail("cannot append to its log: " + failed.getMessage()));
  }

  private void appendNow(MemberEffect.Append a) {
    long segment = a.at().segment();
    long began = System.nanoTime();
    meter.volume().appends(a.bytes());
    store.append(
        a,
        length -> {
          meter.volume().appended(began, a.sync());
          tasks.onLoop(
              () -> perform(member.onDurable(new Position(segment, length), System.nanoTime())));
        },
        this::replicaFailed);
  }

  private void replicaFailed(ReplicaFailure failure) {
    tasks.onLoop(() -> tasks.fail("its replica failed: " + failure));
  }
}
