package org.salus.regionserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.MemberEvents;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.scan.KnownLog;
import org.salus.host.DaemonThreads;
import org.salus.host.netty.Loop;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.WaitsRecord;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.ScrubFile;
import org.salus.regionserver.meter.RegionMeter;
import org.salus.regionserver.meter.VolumeMeter;
import org.salus.regionserver.meter.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This server's part in one region: at most one member, the one of the newest epoch that names this
 * process. Calls of {@link #follow} and {@link #close} come one at a time; any thread may call the
 * other methods.
 */
final class HostedRegion implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostedRegion.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final VolumeSpec spec;
  private final RegionId region;
  private final HostTools tools;
  private final Loop loop;

  /**
   * Runs the members' blocking work. All epochs share it, so an old member's replicas are closed
   * before a new member opens them.
   */
  private final ExecutorService io;

  private final Supplier<VolumeMeter> volumeMeter;

  /** Null before this server's first member of the region. */
  private volatile RegionMeter meter;

  private volatile MemberHost host;

  /**
   * The part of the log that this process has read. The next member gets it if this process had a
   * healthy member in the epoch before, or is ready to join.
   */
  private KnownLog known = new KnownLog();

  private List<Endpoint.Member> self = List.of();
  private volatile int epoch;

  /** The newest epoch for which this process has started a member. None is started again. */
  private int started;

  /** The region's newest record, or null before the first. */
  private volatile RrsRecord last;

  private final DoubtCheck doubts = new DoubtCheck();

  /**
   * The files that the members have certified. Filled only while this server is doubted and has no
   * member.
   */
  private volatile List<ScrubFile> elsewhere = List.of();

  /**
   * The epoch that serves while this server gets ready to join, or since it is ready; -1 before the
   * first.
   */
  private int readyAfter = -1;

  /** The last epoch in which this server has read all that it can to get ready. */
  private volatile int readThrough = -1;

  HostedRegion(VolumeSpec spec, int index, HostTools tools, Supplier<VolumeMeter> volumeMeter) {
    this.spec = spec;
    this.region = spec.regionId(index);
    this.volumeMeter = volumeMeter;
    this.tools = tools;
    Loops loops = tools.threads().loops();
    this.loop = loops.loop(index % loops.count());
    this.io =
        Executors.newSingleThreadExecutor(
            DaemonThreads.named("salus-io-" + spec.name() + "-" + index));
  }

  /** Takes the region's new record. */
  void follow(Versioned<RrsRecord> now) {
    RrsRecord rrs = now.value();
    if (rrs.epoch() > epoch || isOther(rrs)) {
      turnTo(rrs);
    }
    doubt(rrs);
    if (rrs.epoch() == epoch
        && rrs.joining() != null
        && isThis(rrs.joining().member())
        && !rrs.joining().ready()) {
      getReady(rrs);
    }
  }

  /**
   * Whether the record is of another epoch than one that has not served. The NameNode may never
   * have known that one, and the next may then have any number.
   */
  private boolean isOther(RrsRecord rrs) {
    return last != null && !last.hasServed() && !rrs.link().equals(last.link());
  }

  private void turnTo(RrsRecord rrs) {
    int place = place(rrs);
    boolean handsOn = host == null ? readyAfter == epoch : !host.isStopped();
    if (place < 0 || !handsOn || rrs.epoch() > epoch + 1) {
      known = new KnownLog();
    }
    stopMember();
    epoch = rrs.epoch();
    if (place >= 0 && rrs.state() == State.OPENING && epoch > started) {
      started = epoch;
      startMember(rrs, place);
    } else if (place >= 0 && rrs.state() != State.BROKEN) {
      record(
          rrs.link(),
          State.BROKEN,
          now -> now.broken(Cause.RECORD, "", "its record had changed without the master"));
    }
  }

  /**
   * Starts the check of this server's replicas if the record doubts it. A server that was replaced
   * for a wrong answer keeps its replicas, and HDFS counts and copies them. The check begins when
   * the next epoch serves, because a repair needs that epoch's certificates.
   */
  private void doubt(RrsRecord rrs) {
    boolean begins =
        rrs.state() == State.SERVING
            && (last == null || last.epoch() < rrs.epoch() || last.state() != State.SERVING);
    last = rrs;
    if (!begins) {
      return;
    }
    elsewhere = List.of();
    Integer since = rrs.doubted().get(tools.self().node());
    if (since != null) {
      doubts.begin(since);
      if (place(rrs) < 0) {
        readManifest(rrs.epoch());
      }
    }
  }

  private void readManifest(int ofEpoch) {
    if (epoch != ofEpoch) {
      return;
    }
    onIo(
        () -> {
          try {
            elsewhere = tools.disk().stores().certified(spec, region, ofEpoch);
          } catch (IOException failed) {
            LOG.info(
                "the certified files of {} cannot be read yet: {}", region, failed.getMessage());
            loop.schedule(RETRY, () -> readManifest(ofEpoch));
          }
        });
  }

  /** Runs blocking work, unless this region is closed. */
  private void onIo(Runnable work) {
    try {
      io.execute(work);
    } catch (RejectedExecutionException closed) {
      LOG.debug("{} is closed", region, closed);
    }
  }

  private int place(RrsRecord rrs) {
    for (int i = 0; i < rrs.members().size(); i++) {
      if (isThis(rrs.members().get(i))) {
        return i;
      }
    }
    return -1;
  }

  private boolean isThis(RrsRecord.Member m) {
    return m.node().equals(tools.self().node()) && m.startCode() == tools.self().startCode();
  }

  /**
   * Reads the log while the members go on serving. When this server joins, little of the log is
   * left to read.
   */
  private void getReady(RrsRecord rrs) {
    if (readyAfter == epoch) {
      if (readThrough == epoch) { // it was said before, and another server was asked since
        sayReady(rrs.link());
      }
      return;
    }
    readyAfter = epoch;
    int asked = epoch;
    KnownLog log = new KnownLog();
    known = log; // a member that starts before the log is read waits for the same thread
    List<String> dataNodes =
        new ArrayList<>(rrs.members().stream().map(RrsRecord.Member::dataNode).toList());
    dataNodes.add(rrs.joining().member().dataNode());
    onIo(
        () -> {
          try (RegionStore store =
              tools.disk().open(spec, region, dataNodes, dataNodes.size() - 1, loop)) {
            store.readAhead(log::read, () -> epoch != asked);
          } catch (IOException failed) {
            LOG.warn(
                "{}: this server joins without reading the rest of the log first: {}",
                region,
                failed.getMessage());
          }
          readThrough = asked;
          sayReady(rrs.link());
        });
  }

  private void sayReady(EpochLink asked) {
    note(
        now ->
            now.link().equals(asked)
                && now.joining() != null
                && isThis(now.joining().member())
                && !now.joining().ready(),
        now -> now.joining(now.joining().member(), true),
        "that this server is ready to join");
  }

  private void startMember(RrsRecord rrs, int place) {
    List<String> dataNodes = rrs.members().stream().map(RrsRecord.Member::dataNode).toList();
    RegionStore store = tools.disk().open(spec, region, dataNodes, place, loop);
    MemberEvents member =
        tools
            .members()
            .create(
                spec, new Seat(region, rrs.epoch(), rrs.nodes(), place, rrs.link().succession()));
    member.continueFrom(known);
    EpochLink link = rrs.link(); // what the master has signed; the rest of the record is hearsay
    self =
        Lanes.of(place, dataNodes.size()).stream()
            .map(lane -> new Endpoint.Member(region, lane))
            .toList();
    if (meter == null) {
      meter = new RegionMeter(tools.metrics(), volumeMeter.get(), spec.name(), region);
    }
    host =
        new MemberHost(
            member,
            self.get(0),
            spec.blockSize(),
            store,
            link,
            new MemberHost.Threads(loop, io, tools.threads().pools()),
            surroundings(rrs.link()),
            meter.begins(
                new Waits.Place(
                    rrs.epoch(),
                    rrs.nodes().subList(place + 1, dataNodes.size()),
                    dataNodes.get(place))));
    self.forEach(endpoint -> tools.router().add(endpoint, host));
    host.start();
  }

  private void stopMember() {
    if (host != null) {
      self.forEach(endpoint -> tools.router().remove(endpoint, host));
      host.stop();
      host = null;
    }
  }

  private MemberHost.Surroundings surroundings(EpochLink link) {
    return new MemberHost.Surroundings() {
      @Override
      public void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
        tools.router().send(from, to, message, payload);
      }

      @Override
      public boolean reaches(Endpoint.Session session) {
        return tools.router().reaches(session);
      }

      @Override
      public void serving() {
        record(link, State.SERVING, now -> now.serving());
      }

      @Override
      public void suspect(int place, String what) {
        record(
            link,
            State.BROKEN,
            now -> now.broken(Cause.DIFFERED, place < 0 ? "" : link.nodes().get(place), what));
      }

      @Override
      public void stalled(int place, String what) {
        record(
            link,
            State.BROKEN,
            now ->
                now.broken(
                    Cause.STALLED, link.nodes().get(place), link.nodes().get(place) + " " + what));
      }

      @Override
      public void full() {
        record(link, State.FULL, now -> now.full(Reason.NO_ROOM.words()));
      }

      @Override
      public void stopped(String why) {
        record(
            link,
            State.BROKEN,
            now -> now.broken(Cause.FAILED, tools.self().node(), tools.self().node() + ": " + why));
      }

      @Override
      public void refused(String why) {
        record(link, State.BROKEN, now -> now.broken(Cause.FAILED, "", why));
      }
    };
  }

  /** Writes the epoch's new state to ZooKeeper, unless another epoch stands there by now. */
  private void record(EpochLink link, State state, UnaryOperator<RrsRecord> change) {
    note(
        now -> now.link().equals(link) && now.isFollowedBy(link.epoch(), state),
        change,
        "that epoch " + link.epoch() + " is " + state);
  }

  private void note(Predicate<RrsRecord> still, UnaryOperator<RrsRecord> change, String what) {
    if (io.isShutdown()) {
      return;
    }
    tools
        .threads()
        .notes()
        .execute(
            () -> {
              try {
                Optional<Versioned<RrsRecord>> now = tools.store().rrs(spec.name(), region.index());
                while (now.isPresent() && still.test(now.get().value())) {
                  try {
                    tools
                        .store()
                        .replaceRrs(
                            spec.name(),
                            region.index(),
                            now.get().version(),
                            change.apply(now.get().value()));
                    return;
                  } catch (ClusterStoreException.Conflict changed) {
                    now = tools.store().rrs(spec.name(), region.index());
                  }
                }
              } catch (IOException failed) {
                LOG.warn("cannot note {}, of {}: {}", what, region, failed.getMessage());
                loop.schedule(RETRY, () -> note(still, change, what));
              }
            });
  }

  void tick(int onLoop) {
    MemberHost h = host;
    if (h != null && loop.index() == onLoop) {
      h.tick();
    }
  }

  /**
   * Adds the files that this server's member knows to be certified. Without a member, it adds the
   * files that others have certified while this server is doubted.
   *
   * @param to takes the files
   * @param doubtful takes, once per check, the paths of the files that are to be checked at once
   * @param pending tells whether a path is still to be checked at once, or has a bad replica
   * @return false when the member knows no files yet, or this server may soon get a member
   */
  boolean addFiles(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
    MemberHost h = host;
    MemberEffect.Tidy manifest = h == null ? null : h.manifest();
    List<ScrubFile> files =
        h == null
            ? elsewhere
            : manifest == null
                ? List.of()
                : ScrubFile.of(spec, region, manifest.manifest(), manifest.proof().manifest());
    List<String> inDoubt = doubts.take(files);
    if (!inDoubt.isEmpty()) {
      LOG.warn(
          "{}: this server has answered wrongly: its replicas of {} files are checked",
          region,
          inDoubt.size());
      doubtful.addAll(inDoubt);
    } else {
      doubts.through(pending).ifPresent(this::trust);
    }
    to.addAll(files);
    return h == null ? !mayJoin() : manifest != null;
  }

  /** Whether the region may get a member on this server, for example after a restart. */
  private boolean mayJoin() {
    RrsRecord rrs = last;
    return rrs == null
        || rrs.members().size() < Lanes.COUNT
        || rrs.nodes().contains(tools.self().node());
  }

  private void trust(int since) {
    LOG.info("{}: this server's replicas have been checked since it answered wrongly", region);
    note(
        now -> now.doubted().getOrDefault(tools.self().node(), 0) == since,
        now -> now.trusting(tools.self().node()),
        "that this server's replicas are checked");
  }

  /** What waits long at the member, or lately has, also at members before it. */
  Stream<WaitsRecord.Waits> waits(long now) {
    RegionMeter m = meter;
    return m == null
        ? Stream.empty()
        : m.waits().stream().filter(s -> s.isTold(now)).map(s -> note(s, now));
  }

  /** What waits only for a moment changes with each look, and is not told. */
  private WaitsRecord.Waits note(Waits.Seen s, long now) {
    return new WaitsRecord.Waits(
        spec.name(),
        region.index(),
        s.where().epoch(),
        s.cause(),
        s.awaited(),
        s.isLong() ? s.waiting() : 0,
        s.isLong() ? TimeUnit.NANOSECONDS.toMillis(s.oldest(now)) : 0,
        s.slow(),
        s.lastSlow());
  }

  /** Tells the member that its own replica of a file was replaced. */
  void replaced(ScrubFile f) {
    MemberHost h = host;
    if (h != null && f.region().equals(region)) {
      h.replaced(f.kind(), f.number());
    }
  }

  void renewLease() {
    if (host != null) {
      onIo(
          () -> {
            try {
              tools.disk().stores().renewLease(spec, region.index());
            } catch (IOException failed) {
              LOG.warn("cannot renew the lease of {}: {}", region, failed.getMessage());
            }
          });
    }
  }

  /**
   * Waits until the member's replicas are closed. Call it after {@link #close}.
   *
   * @param untilNanos when to stop waiting, on the clock of {@link System#nanoTime}
   */
  void awaitEnd(long untilNanos) {
    try {
      if (!io.awaitTermination(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        LOG.warn("{}: a replica is still being closed", region);
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stopMember();
    if (meter != null) {
      meter.close();
    }
    io.shutdown();
  }
}
