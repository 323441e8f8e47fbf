package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogRecord;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;
import org.salus.datanode.hdfs.CertificateGuard;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;
import org.salus.regionserver.MemberHost;
import org.salus.regionserver.TestMeters;

/**
 * A volume of two regions on a real HDFS: the members and one session in this process, messages by
 * call.
 */
public final class TestVolume implements AutoCloseable {
  private static final int NODES = 4;
  public static final byte[] SECRET = {};

  /** Knows every volume. */
  public static final class Guard extends CertificateGuard {
    @Override
    protected boolean isActive(String volume, long id) {
      return true;
    }

    @Override
    protected boolean isDeleted(String volume, long id) {
      return false;
    }

    @Override
    protected Optional<String> dataNode(String node) {
      return Optional.empty(); // no replica is repaired
    }

    @Override
    protected byte[] secret() {
      return SECRET;
    }
  }

  final VolumeSpec spec;
  public final EmbeddedHdfs hdfs;
  final List<String> reports = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final Loops writing =
      new Loops("test-writing", 1, FaultHandler.stopping("test", () -> {}));
  private final ThreadPoolExecutor reads = (ThreadPoolExecutor) Executors.newFixedThreadPool(2);
  private final List<ExecutorService> io = new ArrayList<>();
  private final Map<Endpoint, MemberHost> members = new ConcurrentHashMap<>();
  private final Map<Long, CompletableFuture<Void>> requests = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> mounted = new CompletableFuture<>();
  private final List<VolumeFiles> files = new ArrayList<>();
  private final PageCache pages = new PageCache();
  private final VolumeSession session;
  private final OfSession ofSession = new OfSession();
  private final long mountEpoch;
  private long lastId;

  public TestVolume(Path dir, VolumeSpec spec, int epoch, long mountEpoch) throws Exception {
    this.spec = spec;
    this.mountEpoch = mountEpoch;
    Configuration conf = new Configuration();
    conf.setClass(ChangeGuard.CLASS_KEY, Guard.class, ChangeGuard.class);
    hdfs = EmbeddedHdfs.start(dir, NODES, conf);
    SessionConfig d = SessionConfig.defaults();
    session = new VolumeSession(spec, mountEpoch, new Signer(SECRET), d);
    for (int r = 0; r < spec.regionCount(); r++) {
      open(r, epoch);
    }
    loop.scheduleWithFixedDelay(
        () -> {
          members.values().forEach(MemberHost::tick);
          perform(session.onTick(System.nanoTime()));
        },
        50,
        50,
        TimeUnit.MILLISECONDS);
  }

  private void open(int region, int epoch) throws Exception {
    List<String> names = new ArrayList<>();
    List<String> dataNodes = new ArrayList<>();
    for (int lane = 0; lane < 3; lane++) {
      int node = (region + epoch + lane) % 3; // every epoch has another primary
      names.add("node" + node);
      dataNodes.add(hdfs.dataNodeAddress(node));
    }
    RegionId id = spec.regionId(region);
    EpochLink link = link(region, epoch, names, dataNodes);
    for (int lane = 0; lane < 3; lane++) {
      Endpoint.Member self = new Endpoint.Member(id, lane);
      RegionMember m =
          new RegionMember(
              spec,
              new Seat(id, epoch, names, lane),
              new Signer(SECRET),
              new MemberConfig(MemberConfig.RESEND_AFTER_NANOS, 4));
      VolumeFiles f = new VolumeFiles(hdfs.conf());
      files.add(f);
      RegionStore store =
          RegionStore.of(
              new RegionFiles(spec, id, dataNodes, lane, f, hdfs.conf(), writing.loop(0)),
              pages,
              new Signer(SECRET),
              Damage.UNHEARD);
      ExecutorService own = Executors.newSingleThreadExecutor();
      io.add(own);
      members.put(
          self,
          new MemberHost(
              m,
              self,
              spec.blockSize(),
              store,
              link,
              new MemberHost.Threads(loop, own, new MemberHost.Pools(reads, reads, level -> reads)),
              surroundings(region, epoch),
              TestMeters.of(id)));
    }
    for (int lane = 0; lane < 3; lane++) {
      members.get(new Endpoint.Member(id, lane)).start();
    }
  }

  /** The epoch builds on the one that served before, if there was one. */
  private EpochLink link(int region, int epoch, List<String> names, List<String> dataNodes)
      throws IOException {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      all.add(new Member(names.get(i), 7, dataNodes.get(i)));
    }
    try (VolumeFiles f = new VolumeFiles(hdfs.conf())) {
      EpochLink served = f.register(FilePath.directory(spec, region)).served();
      Signer master = new Signer(SECRET);
      return served == null
          ? EpochLink.first(spec.regionId(region), epoch, all, all, master)
          : served.next(epoch, all, master);
    }
  }

  private MemberHost.Surroundings surroundings(int region, int epoch) {
    return new MemberHost.Surroundings() {
      @Override
      public void send(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
        route(from, to, message, payload);
      }

      @Override
      public boolean reaches(Endpoint.Session session) {
        return true;
      }

      @Override
      public void serving() {
        loop.execute(() -> perform(session.onRrs(region, epoch, 3, System.nanoTime())));
      }

      @Override
      public void suspect(int place, String what) {
        throw new AssertionError("member " + place + " is suspected: " + what);
      }

      @Override
      public void stalled(int place, String what) {
        // A complaint is no proof: on a busy machine a member may be slow.
      }

      @Override
      public void full() {
        throw new AssertionError("there is room");
      }

      @Override
      public void refused(String why) {
        stopped(why);
      }

      @Override
      public void stopped(String why) {
        mounted.completeExceptionally(new IllegalStateException(why));
        requests.values().forEach(f -> f.completeExceptionally(new IllegalStateException(why)));
      }
    };
  }

  private void route(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {
    if (to instanceof Endpoint.Session) {
      loop.execute(() -> perform(session.onMessage(from, message, payload, System.nanoTime())));
    } else {
      members.get(to).deliver(from, message, payload);
    }
  }

  private void perform(List<SessionEffect> effects) {
    effects.forEach(e -> e.performBy(ofSession));
  }

  private final class OfSession implements SessionEffect.Handler {
    @Override
    public void send(Send x) {
      route(new Endpoint.Session(spec.id(), mountEpoch), x.to(), x.message(), x.payload());
    }

    @Override
    public void mounted(SessionEffect.Mounted x) {
      mounted.complete(null);
    }

    @Override
    public void done(SessionEffect.Done x) {
      requests.remove(x.id()).complete(null);
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap x) {
      throw new AssertionError("no test asks where zeros are");
    }

    @Override
    public void failed(SessionEffect.Failed x) {
      requests.remove(x.id()).completeExceptionally(new IllegalStateException(x.why().toString()));
    }

    @Override
    public void ended(SessionEffect.Ended x) {
      mounted.completeExceptionally(new IllegalStateException(x.why().toString()));
    }

    @Override
    public void report(SessionEffect.Report x) {
      reports.add("region " + x.region() + " lane " + x.lane() + ": " + x.what());
    }

    @Override
    public void unreadable(SessionEffect.Unreadable x) {
      // The read fails, and a report says why.
    }

    @Override
    public void readable(SessionEffect.Readable x) {
      // The requests show it, like with unreadable blocks.
    }

    @Override
    public void lookUp(SessionEffect.LookUp x) {
      // There is one epoch, and the session hears of it when it serves.
    }

    @Override
    public void wentBack(SessionEffect.WentBack x) {
      throw new AssertionError("acknowledged writes are lost: " + x);
    }

    @Override
    public void stalled(Stalled x) {
      // No master listens: a slow member is waited for.
    }

    @Override
    public void disagree(SessionEffect.Disagree x) {
      throw new AssertionError("members contradict each other: " + x);
    }
  }

  /** The settings of a server on this HDFS. */
  public Map<String, String> settings() {
    Map<String, String> all = new HashMap<>();
    hdfs.conf().forEach(e -> all.put(e.getKey(), hdfs.conf().get(e.getKey())));
    return all;
  }

  public void awaitMount() throws Exception {
    mounted.get(60, TimeUnit.SECONDS);
  }

  private interface Call {
    List<SessionEffect> call(long id);
  }

  private CompletableFuture<Void> request(Call call) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          long id = ++lastId;
          requests.put(id, done);
          perform(call.call(id));
        });
    return done.orTimeout(60, TimeUnit.SECONDS);
  }

  public CompletableFuture<Void> write(long block, ByteBuffer data) {
    return request(id -> session.write(id, block, data, false, System.nanoTime()));
  }

  public CompletableFuture<Void> flush() {
    return request(id -> session.flush(id, System.nanoTime()));
  }

  byte[] read(long block, int count) throws Exception {
    ByteBuffer into = ByteBuffer.allocate(count * spec.blockSize());
    request(id -> session.read(id, block, into, System.nanoTime())).get();
    return into.array();
  }

  /** The number of reads, flushes and compactions that went to other threads than the loop. */
  long handedOver() {
    return reads.getTaskCount();
  }

  /** The records that a server without any replica reads from a region's log before it joins. */
  List<LogRecord> readAhead(int region) throws Exception {
    List<LogRecord> records = new ArrayList<>();
    try (RegionStore store = store(region, NODES - 1)) {
      store.readAhead(records::add, () -> false);
    }
    return records;
  }

  /** Opens the node's replicas of a region, whether or not it has a member there. */
  RegionStore store(int region, int node) throws Exception {
    List<String> dataNodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      dataNodes.add(hdfs.dataNodeAddress(i));
    }
    VolumeFiles f = new VolumeFiles(hdfs.conf());
    files.add(f);
    return RegionStore.of(
        new RegionFiles(
            spec, spec.regionId(region), dataNodes, node, f, hdfs.conf(), writing.loop(0)),
        pages,
        new Signer(SECRET),
        Damage.UNHEARD);
  }

  /** Waits until the NameNode has completed what the newest manifests name. */
  public void awaitCompletion(RegionStores stores, int epoch) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    try (VolumeFiles f = new VolumeFiles(hdfs.conf())) {
      for (int r = 0; r < spec.regionCount(); r++) {
        while (isAnyOpen(f, stores.certified(spec, spec.regionId(r), epoch))) {
          if (System.nanoTime() > end) {
            throw new IOException("files of region " + r + " stay open");
          }
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
      }
    }
  }

  private static boolean isAnyOpen(VolumeFiles f, List<ScrubFile> files) throws IOException {
    for (ScrubFile file : files) {
      if (f.locate(file.path()).orElseThrow().open()) {
        return true;
      }
    }
    return false;
  }

  /** Stops the members like a crash: they complete no file. HDFS changes nothing from now on. */
  public void stopMembers() throws InterruptedException {
    members.values().forEach(MemberHost::stop);
    loop.shutdownNow();
    for (ExecutorService e : io) {
      e.shutdown();
      e.awaitTermination(10, TimeUnit.SECONDS);
    }
    reads.shutdownNow();
    reads.awaitTermination(10, TimeUnit.SECONDS);
    writing.close();
  }

  /** Stops like a crash. */
  @Override
  public void close() throws Exception {
    if (!loop.isShutdown()) {
      stopMembers();
    }
    for (VolumeFiles f : files) {
      f.close();
    }
    hdfs.stop();
  }
}
