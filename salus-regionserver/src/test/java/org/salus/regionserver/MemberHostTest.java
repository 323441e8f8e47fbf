package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.ForwardingMember;
import org.salus.core.event.MemberEvents;
import org.salus.core.event.WaitingRequests;
import org.salus.core.log.Position;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.scan.KnownLog;
import org.salus.datanode.hdfs.Change;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;
import org.salus.host.zk.WaitsRecord.Cause;
import org.salus.regionserver.hdfs.Damage;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.RegionStores;
import org.salus.regionserver.meter.MemberMeter;
import org.salus.regionserver.meter.Waits;

@Tag("cluster")
class MemberHostTest {
  private static final byte[] NO_SECRET = {};
  private static final long SOON_SECONDS = 40;
  private static final EpochLink NO_EPOCH = null;

  @TempDir Path dir;

  private final VolumeSpec spec =
      new VolumeSpec("disk", 77, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  private final RegionId region = spec.regionId(0);
  private final AtomicReference<Thread> builder = new AtomicReference<>();
  private final CountDownLatch built = new CountDownLatch(1);
  private final ExecutorService builds =
      Executors.newSingleThreadExecutor(
          task -> {
            builder.set(new Thread(task));
            return builder.get();
          });

  private RegionMember member() {
    return new RegionMember(
        spec,
        new Seat(region, 1, List.of("a", "b", "c"), 1),
        new Signer(NO_SECRET),
        new MemberConfig(MemberConfig.RESEND_AFTER_NANOS, 4));
  }

  /** Builds a checkpoint at once, though its file is not created yet. */
  private MemberEvents building() {
    return new ForwardingMember(member()) {
      @Override
      public List<MemberEffect> start(long now) {
        return List.of(new MemberEffect.Compact(1, 0, List.of(), true));
      }

      @Override
      public List<MemberEffect> onBuilt(
          long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
        built.countDown();
        return List.of();
      }
    };
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void buildOfAStoppedMemberLeavesItsThreadToOtherRegions() throws Exception {
    try (EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, 3, new Configuration());
        RegionStores stores = new RegionStores(settings(hdfs), NO_SECRET);
        Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}))) {
      List<String> dataNodes =
          List.of(hdfs.dataNodeAddress(0), hdfs.dataNodeAddress(1), hdfs.dataNodeAddress(2));
      RegionStore store = stores.open(spec, region, dataNodes, 1, loops.loop(0), Damage.UNHEARD);
      Executor here = Runnable::run;
      MemberHost host =
          new MemberHost(
              building(),
              new Endpoint.Member(region, 1),
              spec.blockSize(),
              store,
              NO_EPOCH,
              new MemberHost.Threads(here, here, new MemberHost.Pools(here, here, level -> builds)),
              new Nobody(),
              TestMeters.of(region));
      host.start();
      awaitWaiting();
      host.stop();
      CountDownLatch others = new CountDownLatch(1);
      builds.execute(others::countDown);
      assertThat(others.await(SOON_SECONDS, TimeUnit.SECONDS))
          .as("another region's build came to its turn")
          .isTrue();
    } finally {
      builds.shutdownNow();
    }
  }

  /**
   * The file is missing, like when DataNodes have no room for it or the NameNode does not answer.
   */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void buildWhoseFileIsNotThereWaitsForItAndLetsOtherRegionsBuild() throws Exception {
    Configuration conf = new Configuration();
    conf.setClass(ChangeGuard.CLASS_KEY, Permissive.class, ChangeGuard.class);
    try (EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, 3, conf);
        RegionStores stores = new RegionStores(settings(hdfs), NO_SECRET);
        Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}))) {
      List<String> dataNodes =
          List.of(hdfs.dataNodeAddress(0), hdfs.dataNodeAddress(1), hdfs.dataNodeAddress(2));
      RegionStore store = stores.open(spec, region, dataNodes, 1, loops.loop(0), Damage.UNHEARD);
      List<String> why = new CopyOnWriteArrayList<>();
      Executor here = Runnable::run;
      MemberHost host =
          new MemberHost(
              building(),
              new Endpoint.Member(region, 1),
              spec.blockSize(),
              store,
              NO_EPOCH,
              new MemberHost.Threads(here, here, new MemberHost.Pools(here, here, level -> builds)),
              new Nobody() {
                @Override
                public void stopped(String reason) {
                  why.add(reason);
                }
              },
              TestMeters.of(region));
      host.start();
      awaitWaiting();
      for (int i = 0; i < 2; i++) {
        CountDownLatch others = new CountDownLatch(1);
        builds.execute(others::countDown);
        assertThat(others.await(SOON_SECONDS, TimeUnit.SECONDS))
            .as("another region's build came to its turn")
            .isTrue();
      }
      assertThat(why).isEmpty();
      try (RegionStore primary =
          stores.open(spec, region, dataNodes, 0, loops.loop(0), Damage.UNHEARD)) {
        primary.create(new MemberEffect.CreateCheckpoint(1, 1 << 20, new byte[] {1}));
      }
      assertThat(built.await(SOON_SECONDS, TimeUnit.SECONDS))
          .as("built, now that there is a file")
          .isTrue();
      assertThat(why).isEmpty();
    } finally {
      builds.shutdownNow();
    }
  }

  /**
   * A bug in what runs beside the loop, as a large read does, stops the member as one on the loop
   * does.
   */
  @Test
  void bugInAReadStopsTheMember() {
    MemberEffect noPieces =
        new MemberEffect.ServeGet(
            new Endpoint.Session(spec.id(), 1), 1, 1, 0, 256, null, List.of());
    MemberEvents member =
        new ForwardingMember(member()) {
          @Override
          public List<MemberEffect> start(long now) {
            return List.of(noPieces);
          }
        };
    List<String> why = new ArrayList<>();
    List<Runnable> reads = new ArrayList<>();
    Executor here = Runnable::run;
    MemberHost host =
        new MemberHost(
            member,
            new Endpoint.Member(region, 1),
            spec.blockSize(),
            null,
            NO_EPOCH,
            new MemberHost.Threads(
                here, closing -> {}, new MemberHost.Pools(reads::add, here, level -> here)),
            new Nobody() {
              @Override
              public void stopped(String reason) {
                why.add(reason);
              }
            },
            TestMeters.of(region));
    host.start();
    assertThat(why).isEmpty();
    reads.forEach(Runnable::run);
    assertThat(why).singleElement().asString().startsWith("bug: java.lang.NullPointerException");
  }

  /** Without a guard, the NameNode lets no epoch open and none serve. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void memberWhoseEpochTheNameNodeRefusesStopsWithItsReasonAndIsNotToBlame() throws Exception {
    MemberEvents opening =
        new ForwardingMember(member()) {
          @Override
          public List<MemberEffect> start(long now) {
            return List.of(new MemberEffect.ScanLog(new KnownLog(), 1));
          }
        };
    List<String> why = new CopyOnWriteArrayList<>();
    List<String> refused = new CopyOnWriteArrayList<>();
    try (EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, 3, new Configuration());
        RegionStores stores = new RegionStores(settings(hdfs), NO_SECRET);
        Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}))) {
      MemberHost host =
          host(
              opening,
              stores.open(spec, region, List.of("a:1"), 0, loops.loop(0), Damage.UNHEARD),
              new Nobody() {
                @Override
                public void stopped(String reason) {
                  why.add(reason);
                }

                @Override
                public void refused(String reason) {
                  refused.add(reason);
                }
              });
      host.start();
      assertThat(refused).containsExactly(ChangeGuard.CLASS_KEY + " is not set: no epoch opens");
      assertThat(why).isEmpty();
      assertThat(host.isStopped()).isTrue();
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void memberHearsAfterAWhileThatTheNameNodeDoesNotKnowThatItsEpochServes() throws Exception {
    List<Boolean> heard = new CopyOnWriteArrayList<>();
    MemberEvents serving =
        new ForwardingMember(member()) {
          @Override
          public List<MemberEffect> start(long now) {
            return List.of(
                new MemberEffect.RegisterEpoch(new WrittenManifest(new byte[] {1}, List.of())));
          }

          @Override
          public List<MemberEffect> onRegistered(boolean ok, long now) {
            heard.add(ok);
            return List.of();
          }

          @Override
          public List<MemberEffect> onTick(long now) {
            return List.of();
          }
        };
    try (EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, 3, new Configuration());
        RegionStores stores = new RegionStores(settings(hdfs), NO_SECRET);
        Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}))) {
      MemberHost host =
          host(
              serving,
              stores.open(spec, region, List.of("a:1"), 0, loops.loop(0), Damage.UNHEARD),
              new Nobody());
      host.start();
      host.tick();
      assertThat(heard).as("not at once").isEmpty();
      while (heard.isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(5);
        host.tick();
      }
      assertThat(heard).containsExactly(false);
    }
  }

  private static GetRequest get(long id, long mountEpoch) {
    return new GetRequest(id, 1, mountEpoch, 0, 0, 0, 1);
  }

  @Test
  void requestsWaitThatTheMemberNamesUnlessTheirSessionIsGone() {
    MemberEvents waits =
        new ForwardingMember(member()) {
          @Override
          public WaitingRequests waiting() {
            return new WaitingRequests(
                List.of(get(1, 4), get(1, 5), get(2, 5)),
                List.of(get(3, 4), get(3, 5)),
                List.of(new Position(1, 30), new Position(1, 40), new Position(1, 50)),
                List.of(
                    new Position(1, 0),
                    new Position(1, 5),
                    new Position(1, 10),
                    new Position(1, 20)));
          }
        };
    MemberMeter meter = TestMeters.of(region);
    Executor here = Runnable::run;
    MemberHost host =
        new MemberHost(
            waits,
            new Endpoint.Member(region, 1),
            spec.blockSize(),
            null,
            NO_EPOCH,
            new MemberHost.Threads(here, here, new MemberHost.Pools(here, here, level -> here)),
            new Nobody() {
              @Override
              public boolean reaches(Endpoint.Session session) {
                return session.equals(new Endpoint.Session(region.volume(), 5));
              }
            },
            meter);
    host.tick();
    assertThat(meter.waits().seen())
        .extracting(Waits.Seen::cause, Waits.Seen::waiting)
        .containsExactly(
            tuple(Cause.WATERMARK, 2),
            tuple(Cause.DISK, 1),
            tuple(Cause.CHAIN, 3),
            tuple(Cause.OPEN, 0),
            tuple(Cause.APPEND, 4));
  }

  /** The NameNode hangs as the region begins a segment. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void appendsWhoseSegmentIsNotOpenDoNotWaitForTheDataNode() throws Exception {
    Position first = new Position(2, 100);
    MemberEvents appends =
        new ForwardingMember(member()) {
          @Override
          public List<MemberEffect> start(long now) {
            return List.of(
                new MemberEffect.Append(first, List.of(ByteBuffer.allocate(20)), false),
                new MemberEffect.Append(first.plus(20), List.of(ByteBuffer.allocate(20)), false));
          }

          @Override
          public WaitingRequests waiting() {
            return new WaitingRequests(
                List.of(),
                List.of(),
                List.of(),
                List.of(new Position(1, 500), first, first.plus(20), first.plus(40)));
          }

          @Override
          public List<MemberEffect> onTick(long now) {
            return List.of();
          }
        };
    Queue<Runnable> io = new ArrayDeque<>();
    Executor here = Runnable::run;
    MemberMeter meter = TestMeters.of(region);
    try (EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, 3, new Configuration());
        RegionStores stores = new RegionStores(settings(hdfs), NO_SECRET);
        Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}))) {
      MemberHost host =
          new MemberHost(
              appends,
              new Endpoint.Member(region, 1),
              spec.blockSize(),
              stores.open(spec, region, List.of("a:1"), 0, loops.loop(0), Damage.UNHEARD),
              NO_EPOCH,
              new MemberHost.Threads(here, io::add, new MemberHost.Pools(here, here, l -> here)),
              new Nobody(),
              meter);
      host.start();
      host.tick();
      assertThat(io).hasSize(2);
      assertThat(meter.waits().seen())
          .extracting(Waits.Seen::cause, Waits.Seen::waiting)
          .contains(tuple(Cause.OPEN, 2), tuple(Cause.APPEND, 2));
    }
  }

  /** A host that does everything on the caller's thread. */
  private MemberHost host(
      MemberEvents member, RegionStore store, MemberHost.Surroundings surroundings) {
    Executor here = Runnable::run;
    EpochLink link =
        EpochLink.first(
            region,
            1,
            List.of(new RrsRecord.Member("a", 7, "a:1")),
            List.of(new RrsRecord.Member("a", 7, "a:1")),
            new Signer(NO_SECRET));
    return new MemberHost(
        member,
        new Endpoint.Member(region, 0),
        spec.blockSize(),
        store,
        link,
        new MemberHost.Threads(here, here, new MemberHost.Pools(here, here, level -> here)),
        surroundings,
        TestMeters.of(region));
  }

  /** Waits until the build waits for the file. */
  private void awaitWaiting() throws InterruptedException {
    while (builder.get().getState() != Thread.State.TIMED_WAITING) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private static Map<String, String> settings(EmbeddedHdfs hdfs) {
    Map<String, String> settings = new HashMap<>();
    hdfs.conf().forEach(e -> settings.put(e.getKey(), e.getValue()));
    return settings;
  }

  /** Allows every change, because these tests are not about certificates. */
  public static final class Permissive implements ChangeGuard {
    @Override
    public void check(Change change) {}

    @Override
    public void use(Registers registers) {}

    @Override
    public EpochRegister take(
        String directory,
        EpochRegister known,
        Map<Long, EpochRegister.OpenFile> open,
        byte[] word) {
      return known;
    }

    @Override
    public void checkRegion(String directory) {}

    @Override
    public List<String> dataNodesOf(String path) {
      return List.of();
    }

    @Override
    public void close() {}
  }

  /** Ignores all messages and reports. */
  static class Nobody implements MemberHost.Surroundings {
    @Override
    public void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {}

    @Override
    public boolean reaches(Endpoint.Session session) {
      return true;
    }

    @Override
    public void suspect(int place, String what) {}

    @Override
    public void serving() {}

    @Override
    public void stalled(int place, String what) {}

    @Override
    public void full() {}

    @Override
    public void stopped(String why) {}

    @Override
    public void refused(String why) {}
  }
}
