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
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.KnownLog;
import org.salus.core.member.MemberEvents;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.replacement.Cause;
import org.salus.host.DaemonThreads;
import org.salus.host.netty.Loop;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.RrsRecord;
import org.salus.host.zk.RrsRecord.State;
import org.salus.host.zk.Versioned;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.ScrubFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This server's part in one region: at most one member, that of the newest epoch that names this
 * process.
 */
final class HostedRegion implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostedRegion.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final VolumeSpec spec;
  private final RegionId region;
  private final HostTools tools;
  private final Loop loop;

  /**
   * One for all epochs: the replicas of an old member are closed before a new one looks at them.
   */
  private final ExecutorService io;

  private volatile MemberHost host;

  /**
   * From one epoch to the next, as long as this process has a member in each that has not failed,
   * or is ready for one.
   */
  private KnownLog known = new KnownLog();

  private List<Endpoint.Member> self = List.of();
  private volatile int epoch;

  /** The newest record. */
  private volatile RrsRecord last;

  private final DoubtCheck doubts = new DoubtCheck();

  /** What the members have certified, where this server is in doubt and none of them. */
  private volatile List<ScrubFile> elsewhere = List.of();

  /** The epoch that serves while this server gets ready to join, or has. */
  private int readyAfter = -1;

  HostedRegion(VolumeSpec spec, int index, HostTools tools) {
    this.spec = spec;
    this.region = spec.regionId(index);
    this.tools = tools;
    Loops loops = tools.threads().loops();
    this.loop = loops.loop(index % loops.count());
    this.io =
        Executors.newSingleThreadExecutor(
            DaemonThreads.named("salus-io-" + spec.name() + "-" + index));
  }

  /** The region's record is this now. */
  void follow(Versioned<RrsRecord> now) {
    RrsRecord rrs = now.value();
    if (rrs.epoch() > epoch) {
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

  private void turnTo(RrsRecord rrs) {
    int place = place(rrs);
    boolean handsOn = host == null ? readyAfter == epoch : !host.isStopped();
    if (place < 0 || !handsOn || rrs.epoch() > epoch + 1) {
      known = new KnownLog();
    }
    stopMember();
    epoch = rrs.epoch();
    if (place >= 0 && rrs.state() == State.OPENING) {
      startMember(rrs, place);
    }
  }

  /**
   * Whoever is left out for what it answered keeps its replicas, which HDFS counts and copies: they
   * are checked here, once the next epoch serves, whose certificates a repair needs.
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
    if (io.isShutdown() || epoch != ofEpoch) {
      return;
    }
    io.execute(
        () -> {
          try {
            elsewhere = tools.disk().stores().certified(spec, region, ofEpoch);
          } catch (IOException failed) {
            LOG.info("what {} has certified cannot be read yet: {}", region, failed.getMessage());
            loop.schedule(RETRY, () -> readManifest(ofEpoch));
          }
        });
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
   * Reads the log while others go on with the region: when this server joins, little of it is left
   * to read.
   */
  private void getReady(RrsRecord rrs) {
    if (readyAfter == epoch) {
      return;
    }
    readyAfter = epoch;
    int asked = epoch;
    KnownLog log = new KnownLog();
    known = log; // a member that is started before all is read waits for the same thread
    List<String> dataNodes =
        new ArrayList<>(rrs.members().stream().map(RrsRecord.Member::dataNode).toList());
    dataNodes.add(rrs.joining().member().dataNode());
    io.execute(
        () -> {
          try (RegionStore store =
              tools.disk().open(spec, region, dataNodes, dataNodes.size() - 1, loop)) {
            store.readAhead(log::read, () -> epoch != asked);
          } catch (IOException failed) {
            LOG.warn(
                "{} is not read any further before this server joins: {}",
                region,
                failed.getMessage());
          }
          note(
              now ->
                  now.epoch() == asked
                      && now.joining() != null
                      && isThis(now.joining().member())
                      && !now.joining().ready(),
              now -> now.joining(now.joining().member(), true),
              "that this server is ready to join");
        });
  }

  private void startMember(RrsRecord rrs, int place) {
    List<String> dataNodes = rrs.members().stream().map(RrsRecord.Member::dataNode).toList();
    RegionStore store = tools.disk().open(spec, region, dataNodes, place, loop);
    MemberEvents member = tools.members().create(spec, new Seat(region, rrs.epoch(), rrs.nodes(), place));
    member.continueFrom(known);
    int reached = rrs.holders().contains(tools.self().node()) ? rrs.served() : 0;
    self =
        Lanes.of(place, dataNodes.size()).stream()
            .map(lane -> new Endpoint.Member(region, lane))
            .toList();
    host =
        new MemberHost(
            member,
            self.get(0),
            spec.blockSize(),
            store,
            reached,
            new MemberHost.Threads(loop, io, tools.threads().pools()),
            surroundings(rrs.epoch(), rrs.nodes()));
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

  private MemberHost.Surroundings surroundings(int ofEpoch, List<String> nodes) {
    return new MemberHost.Surroundings() {
      @Override
      public void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
        tools.router().send(from, to, message, payload);
      }

      @Override
      public void serving() {
        record(ofEpoch, State.SERVING, now -> now.serving());
      }

      @Override
      public void suspect(int place, String what) {
        record(
            ofEpoch,
            State.BROKEN,
            now -> now.broken(Cause.DIFFERED, place < 0 ? "" : nodes.get(place), what));
      }

      @Override
      public void stalled(int place, String what) {
        record(
            ofEpoch,
            State.BROKEN,
            now -> now.broken(Cause.STALLED, nodes.get(place), nodes.get(place) + " " + what));
      }

      @Override
      public void full() {
        record(
            ofEpoch,
            State.FULL,
            now -> now.with(State.FULL, "", "the DataNodes have no room for another log segment"));
      }

      @Override
      public void stopped(String why) {
        record(
            ofEpoch,
            State.BROKEN,
            now -> now.with(State.BROKEN, tools.self().node(), tools.self().node() + ": " + why));
      }
    };
  }

  /** Notes the epoch's new state, unless the epoch is over by now. */
  private void record(int ofEpoch, State state, UnaryOperator<RrsRecord> change) {
    note(now -> follows(now, ofEpoch, state), change, "that epoch " + ofEpoch + " is " + state);
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

  private static boolean follows(RrsRecord now, int ofEpoch, State state) {
    return now.epoch() == ofEpoch
        && now.state() != state
        && now.state() != State.BROKEN
        && !(state == State.FULL && now.state() == State.SERVING);
  }

  void tick(int onLoop) {
    MemberHost h = host;
    if (h != null && loop.index() == onLoop) {
      h.tick();
    }
  }

  /**
   * Adds the files that this server's member knows to be certified, or others have certified where
   * this server's replicas are in doubt; false when there is a member that knows none yet, or may
   * soon be one.
   *
   * @param doubtful takes the paths of those that are to be checked at once, one time
   * @param pending whether a path is still to be checked at once, or its replica is bad
   */
  boolean addFiles(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
    MemberHost h = host;
    MemberEffect.Tidy manifest = h == null ? null : h.manifest();
    List<ScrubFile> files =
        h == null
            ? elsewhere
            : manifest == null
                ? List.of()
                : ScrubFile.of(spec, region, manifest.manifest(), manifest.permission());
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

  /** Whether the region may get a member on this server, as after a restart. */
  private boolean mayJoin() {
    RrsRecord rrs = last;
    return rrs == null
        || rrs.members().size() < Lanes.COUNT
        || rrs.nodes().contains(tools.self().node());
  }

  private void trust(int since) {
    LOG.info("{}: this server's replicas are checked since it answered wrongly", region);
    note(
        now -> now.doubted().getOrDefault(tools.self().node(), 0) == since,
        now -> now.trusting(tools.self().node()),
        "that this server's replicas are checked");
  }

  /** The replica of a file on this server's DataNode was made anew. */
  void replaced(ScrubFile f) {
    MemberHost h = host;
    if (h != null && f.region().equals(region)) {
      h.replaced(f.kind(), f.number());
    }
  }

  void renewLease() {
    if (host != null) {
      io.execute(
          () -> {
            try {
              tools.disk().stores().renewLease(spec, region.index());
            } catch (IOException failed) {
              LOG.warn("cannot renew the lease of {}: {}", region, failed.getMessage());
            }
          });
    }
  }

  /** Once closed: waits until the member's replicas are, till then at most. */
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
    io.shutdown();
  }
}
