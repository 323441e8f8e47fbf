package org.salus.regionserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.log.FilePath;
import org.salus.core.log.LogScan;
import org.salus.core.log.Position;
import org.salus.core.member.MemberEvents;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.hdfs.CertificateGuard;
import org.salus.datanode.hdfs.VolumeFileException;
import org.salus.regionserver.hdfs.NotCreatedException;
import org.salus.regionserver.hdfs.RegionStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one region member: its events arrive on a loop, its effects go to the network and to HDFS.
 */
public final class MemberHost {
  private static final Logger LOG = LoggerFactory.getLogger(MemberHost.class);

  /** What the host needs from its surroundings; called on the loop or an I/O thread. */
  public interface Surroundings {
    /** Sends or loses a message. */
    void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload);

    /**
     * A member differs from the others, one of two if {@code place} is -1: the epoch is over;
     * called at M0.
     */
    void suspect(int place, String what);

    /** Nothing comes through the member at this place, though it may be another one's fault. */
    void stalled(int place, String what);

    /** The epoch serves; called at M0. */
    void serving();

    /** The epoch cannot open for want of room; called at M0, again and again, until it serves. */
    void full();

    /** The member can go on no more: its region needs a new epoch. */
    void stopped(String why);
  }

  /** Blocking work that is reported to the member when it is done. */
  private interface Work {
    void run() throws IOException;
  }

  /**
   * Threads for work that blocks and may run many at once: short reads, flushes, and compactions of
   * each level, of which none waits for another kind.
   */
  public record Pools(Executor reads, Executor flushes, IntFunction<Executor> compactions) {}

  private static final long TIDY_AGAIN_NANOS = 5_000_000_000L;

  private final MemberEvents member;
  private final Endpoint.Member self;
  private final int blockSize;
  private final RegionStore store;
  private final Executor loop;
  private final Executor io;
  private final Pools pools;
  private final Surroundings surroundings;
  private final int reached;
  private final AtomicInteger reading = new AtomicInteger();
  private final TurnReads gets;

  /** Appends that wait for their segment's replica to be opened. */
  private final AtomicInteger waitingAppends = new AtomicInteger();

  private final OpeningTimes times = new OpeningTimes();
  private final Effects handler = new Effects();
  private volatile MemberEffect.Tidy manifest;

  /** What is to be tried again, or null. */
  private MemberEffect.Tidy untidy;

  private long untidySince;
  private volatile boolean stopped;

  /**
   * @param reached the epoch up to which the replicas here are known to go, 0 if nothing is known
   *     of them
   * @param loop runs one task after the other, as {@code io} does
   */
  public MemberHost(
      MemberEvents member,
      Endpoint.Member self,
      int blockSize,
      RegionStore store,
      int reached,
      Executor loop,
      Executor io,
      Pools pools,
      Surroundings surroundings) {
    this.member = member;
    this.self = self;
    this.blockSize = blockSize;
    this.store = store;
    this.reached = reached;
    this.loop = loop;
    this.io = io;
    this.pools = pools;
    this.gets =
        new TurnReads(
            this::onLoop,
            blockSize,
            this::serveAtOnce,
            some -> onPool(pools.reads(), () -> some.forEach(this::serve)));
    this.surroundings = surroundings;
  }

  public void start() {
    onLoop(
        () -> {
          times.start();
          perform(member.start(System.nanoTime()));
        });
  }

  /** A message for the member; its payload belongs to the member from now on. */
  public void deliver(Endpoint from, Message m, ByteBuffer payload) {
    onLoop(() -> perform(member.onMessage(from, m, payload, System.nanoTime())));
  }

  /** To be called every few tens of milliseconds. */
  public void tick() {
    onLoop(
        () -> {
          if (untidy != null && System.nanoTime() - untidySince > TIDY_AGAIN_NANOS) {
            MemberEffect.Tidy again = untidy;
            untidy = null;
            tidy(again);
          }
          perform(member.onTick(System.nanoTime()));
        });
  }

  /** Stops at once; replicas stay as they are, for the next epoch to recover. */
  public void stop() {
    stopped = true;
    io.execute(
        () -> {
          try {
            store.close();
          } catch (IOException e) {
            LOG.info("closing the replicas of {}: {}", self, e.toString());
          }
        });
  }

  /** Whether it has failed, or was stopped. */
  boolean isStopped() {
    return stopped;
  }

  /** The newest manifest that is on disk, or null before the first of the epoch. */
  MemberEffect.Tidy manifest() {
    return manifest;
  }

  /** The own replica of a file was made anew: it is read from now on. */
  void replaced(FilePath.Kind kind, long number) {
    onIo(() -> store.replaced(kind, number), failed -> {});
  }

  private void onLoop(Runnable r) {
    if (stopped) {
      return;
    }
    loop.execute(
        () -> {
          if (!stopped) {
            try {
              r.run();
            } catch (RuntimeException e) {
              bug(e);
            }
          }
        });
  }

  private void bug(RuntimeException e) {
    LOG.error("bug in {}: it stops", self, e);
    fail("bug: " + e);
  }

  private void fail(String why) {
    if (!stopped) {
      LOG.warn("{} stops: {}", self, why);
      stop();
      surroundings.stopped(why);
    }
  }

  private void onIo(Work work, Consumer<IOException> failed) {
    io.execute(
        () -> {
          if (!stopped) {
            try {
              work.run();
            } catch (IOException e) {
              LOG.warn("{}: {}", self, e.toString());
              onLoop(() -> failed.accept(e));
            } catch (RuntimeException e) {
              onLoop(() -> bug(e));
            }
          }
        });
  }

  private void onPool(Executor pool, Runnable work) {
    pool.execute(
        () -> {
          if (!stopped) {
            try {
              work.run();
            } catch (RuntimeException e) {
              onLoop(() -> bug(e));
            }
          }
        });
  }

  private void perform(List<MemberEffect> effects) {
    effects.forEach(e -> e.performBy(handler));
  }

  /** What is done for each effect; called on the loop. */
  private final class Effects implements MemberEffect.Handler {

    // ---- messages ----

    @Override
    public void send(Send x) {
      surroundings.send(self, x.to(), x.message(), x.payload());
    }

    @Override
    public void serveGet(MemberEffect.ServeGet x) {
      reading.incrementAndGet();
      gets.add(x);
    }

    // ---- words to the master ----

    @Override
    public void serving(MemberEffect.Serving x) {
      times.done("manifest");
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
      fail(x.why());
    }

    // ---- files at the NameNode ----

    @Override
    public void createSegment(MemberEffect.CreateSegment x) {
      onIo(
          () -> {
            store.create(x);
            onLoop(
                () ->
                    perform(member.onSegmentCreated(x.segment(), true, false, System.nanoTime())));
          },
          failed -> notCreated(x.segment(), failed));
    }

    @Override
    public void createCheckpoint(MemberEffect.CreateCheckpoint x) {
      onIo(() -> store.create(x), failed -> {}); // asked again until it is built
    }

    @Override
    public void recoverSegments(MemberEffect.RecoverSegments x) {
      times.done("agree");
      onIo(() -> recover(x), MemberHost.this::notRecovered);
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
      onIo(() -> scan(x), failed -> fail("cannot read its log: " + failed.getMessage()));
    }

    @Override
    public void replayLog(MemberEffect.ReplayLog x) {
      times.done("recover");
      onIo(() -> replay(x), MemberHost.this::notReplayed);
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
      onPool(pools.reads(), () -> load(x));
    }

    @Override
    public void loadRoots(MemberEffect.LoadRoots x) {
      onPool(pools.reads(), () -> readRoots(x));
    }
  }

  // ---- the log ----

  private void scan(MemberEffect.ScanLog x) throws IOException {
    LogScan.Found found = store.scan(x.known(), reached);
    onLoop(
        () -> {
          times.done("scan");
          perform(member.onScanned(found, System.nanoTime()));
        });
  }

  private void recover(MemberEffect.RecoverSegments x) throws IOException {
    Optional<MemberEffect.ToEqualize> refuted = store.recover(x);
    onLoop(
        () ->
            perform(
                refuted.isEmpty()
                    ? member.onRecovered(true, System.nanoTime())
                    : member.onRefuted(
                        refuted.get().holder(), refuted.get().end(), System.nanoTime())));
  }

  private void notRecovered(IOException why) {
    perform(member.onRecovered(false, System.nanoTime()));
    failIfForeign(why);
  }

  private void replay(MemberEffect.ReplayLog x) throws IOException {
    store.replay(
        x,
        r -> onLoop(() -> member.onReplay(r, System.nanoTime())),
        ownEnd -> onLoop(() -> member.onOwnReplicaEnds(ownEnd, System.nanoTime())));
    onLoop(
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
    onPool(pool, () -> buildNow(checkpoint, how, pool));
  }

  private void buildNow(long checkpoint, Build how, Executor pool) {
    try {
      RegionStore.Built b = how.run(() -> stopped);
      onLoop(
          () ->
              perform(
                  member.onBuilt(checkpoint, b.length(), b.crc(), b.roots(), System.nanoTime())));
    } catch (NotCreatedException notYet) {
      LOG.info("{}: checkpoint {} is built later: {}", self, checkpoint, notYet.getMessage());
      build(checkpoint, how, pool); // after those of others that wait for the same thread
    } catch (IOException | UnreadableException failed) {
      if (!stopped) {
        LOG.error("{}: checkpoint {} cannot be built: {}", self, checkpoint, failed.toString());
      }
      onLoop(() -> fail("cannot build checkpoint " + checkpoint + ": " + failed.getMessage()));
    }
  }

  private void load(MemberEffect.LoadPages x) {
    for (long page : x.pages()) {
      try {
        byte[] leaves = store.leaves(page, x.checkpoints());
        onLoop(() -> perform(member.onPageLoaded(x.version(), page, leaves, System.nanoTime())));
      } catch (UnreadableException lost) {
        onLoop(
            () ->
                perform(
                    member.onPageUnreadable(x.version(), lost.getMessage(), System.nanoTime())));
      }
    }
  }

  private void readRoots(MemberEffect.LoadRoots x) {
    try {
      store.roots(x.checkpoints(), (page, root) -> onLoop(() -> member.onRoot(page, root)));
      onLoop(() -> perform(member.onRootsLoaded(System.nanoTime())));
    } catch (UnreadableException lost) {
      onLoop(() -> fail("no replica of its checkpoints can be read: " + lost.getMessage()));
    }
  }

  /** Where the secrets differ, no try will do. */
  private void failIfForeign(IOException why) {
    if (why instanceof VolumeFileException v
        && v.kind() == VolumeFileException.Kind.REFUSED
        && why.getMessage().contains(CertificateGuard.NOT_CERTIFIED)) {
      fail("the NameNode refuses its certificates: " + why.getMessage());
    }
  }

  /**
   * What is not completed HDFS does not copy: so this is tried until it is done, or there is a
   * newer manifest.
   */
  private void tidy(MemberEffect.Tidy x) {
    onIo(
        () -> store.tidy(x),
        failed -> {
          untidy = manifest;
          untidySince = System.nanoTime();
        });
  }

  private void notReplayed(IOException why) {
    String what = "cannot replay its log: " + why.getMessage();
    if (why instanceof RegionStore.ShortSegmentException s) {
      perform(member.onReplayFailed(s.segment(), what, System.nanoTime()));
    } else {
      fail(what);
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
    if (waitingAppends.get() == 0 && store.isWriting(a.at().segment())) {
      appendNow(a);
      return;
    }
    waitingAppends.incrementAndGet();
    onIo(
        () -> {
          store.open(a.at().segment(), this::replicaFailed);
          appendNow(a);
          waitingAppends.decrementAndGet();
        },
        failed -> fail("cannot append to its log: " + failed.getMessage()));
  }

  private void appendNow(MemberEffect.Append a) {
    long segment = a.at().segment();
    store.append(
        a,
        length ->
            onLoop(
                () -> perform(member.onDurable(new Position(segment, length), System.nanoTime()))),
        this::replicaFailed);
  }

  private void replicaFailed(ReplicaFailure failure) {
    onLoop(() -> fail("its replica failed: " + failure));
  }

  private boolean serveAtOnce(MemberEffect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, blockSize);
    boolean ok = store.readAtOnce(g, read);
    if (ok) {
      answer(g, read, true);
    }
    return ok;
  }

  private void serve(MemberEffect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, blockSize);
    answer(g, read, store.read(g, read));
  }

  private void answer(MemberEffect.ServeGet g, ReadAssembly read, boolean ok) {
    GetReply reply =
        new GetReply(g.id(), g.lane(), read.zeroBits(), reading.decrementAndGet(), !ok);
    surroundings.send(self, g.to(), reply, ok ? read.data() : null);
  }
}
