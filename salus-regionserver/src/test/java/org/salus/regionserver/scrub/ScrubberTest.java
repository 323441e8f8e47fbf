package org.salus.regionserver.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath.Kind;
import org.salus.host.config.ServerSettings;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ScrubRecord;
import org.salus.regionserver.TestZooKeeper;
import org.salus.regionserver.hdfs.RegionStores;
import org.salus.regionserver.hdfs.ReplicaChecks;
import org.salus.regionserver.hdfs.ReplicaChecks.Outcome;
import org.salus.regionserver.hdfs.ReplicaScrub;
import org.salus.regionserver.hdfs.ScrubFile;
import org.salus.regionserver.hdfs.TestVolume;

/** Tests which files the scrubber checks, when, and which results last in ZooKeeper. */
@Timeout(120)
@Tag("cluster")
class ScrubberTest {
  private static final String NODE = "node0";
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 3000;

  /** Longer than the position in ZooKeeper may be behind. */
  private static final long SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(5100);

  private static final ServerSettings SETTINGS =
      new ServerSettings("", 0, 8, 1, 1L << 30, Duration.ofHours(24));

  private final VolumeSpec spec = new VolumeSpec("disk", 78, BLOCK, 4096, 2, false, 1 << 20);

  @TempDir Path dir;

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5)); // the test's time limit ends it
    }
  }

  private static Scrubber.Files knowing(List<ScrubFile> files) {
    return new Known() {
      @Override
      public boolean now(
          List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
        return to.addAll(files);
      }
    };
  }

  private interface Tool {
    ReplicaChecks with(ReplicaScrub.Pace pace);
  }

  private abstract static class Known implements Scrubber.Files {
    @Override
    public void replaced(ScrubFile f) {
      throw new AssertionError("nothing was bad");
    }
  }

  private static Scrubber started(ClusterStore store, Scrubber.Files files, Tool tool) {
    ScrubPace pace = new ScrubPace(SETTINGS.scrubRate());
    Scrubber s =
        new Scrubber(
            NODE,
            SETTINGS,
            store.reports(),
            files,
            tool.with(pace),
            pace,
            (what, bug) -> {
              throw new AssertionError(what, bug);
            });
    s.start();
    return s;
  }

  /** Checks real replicas and notes the checks, which can be held at a file. */
  private static final class Held implements ReplicaChecks {
    final List<String> begun = new CopyOnWriteArrayList<>();
    final Map<String, Outcome> ended = new ConcurrentHashMap<>();
    volatile boolean isCutShort;
    private final ReplicaChecks real;

    Held(RegionStores stores, String dataNode, ReadingHook hook) {
      real = stores.scrub(NODE, dataNode, bytes -> hook.reads(begun.get(begun.size() - 1), bytes));
    }

    @Override
    public Result scrub(ScrubFile f) throws IOException {
      begun.add(f.path());
      try {
        Result r = real.scrub(f);
        ended.put(f.path(), r.outcome());
        return r;
      } catch (InterruptedIOException stopped) {
        isCutShort = true;
        throw stopped;
      }
    }

    @Override
    public Set<String> unfinished(Collection<String> paths) {
      return real.unfinished(paths);
    }

    @Override
    public boolean isGone(String path) throws IOException {
      return real.isGone(path);
    }
  }

  private interface ReadingHook {
    void reads(String path, int bytes) throws IOException;
  }

  @Test
  void aPassGoesOnWithTheFileInWhichItsServerWasStopped() throws Exception {
    try (TestVolume v = new TestVolume(dir.resolve("hdfs"), spec, 1, 1);
        TestZooKeeper zookeeper = new TestZooKeeper(dir.resolve("zookeeper"));
        ClusterStore store = zookeeper.connect();
        RegionStores stores = new RegionStores(v.settings(), TestVolume.SECRET)) {
      List<ScrubFile> files = finishedFiles(v, stores);
      List<String> paths = files.stream().map(ScrubFile::path).toList();
      assertThat(paths).as("files of both regions").hasSizeGreaterThan(4);
      String saved = paths.get(1);
      String standing = paths.get(2);
      String dataNode = v.hdfs.dataNodeAddress(0);

      List<Scrubber> running = new CopyOnWriteArrayList<>();
      AtomicLong begun = new AtomicLong(); // when the first file was begun, in nanoseconds
      AtomicReference<Held> first = new AtomicReference<>();
      Scrubber before =
          started(
              store,
              knowing(files),
              pace -> {
                first.set(
                    new Held(
                        stores,
                        dataNode,
                        (path, bytes) -> {
                          long since = begun.updateAndGet(t -> t == 0 ? System.nanoTime() : t);
                          pace.take(bytes);
                          if (path.equals(saved)) {
                            await(() -> System.nanoTime() - since > SAVED_NANOS);
                          } else if (path.equals(standing)) {
                            await(() -> !running.isEmpty());
                            running.get(0).close();
                            pace.take(0);
                          }
                        }));
                return first.get();
              });
      await(() -> first.get().begun.contains(standing));
      running.add(before);
      await(() -> first.get().isCutShort);
      assertThat(first.get().begun).isEqualTo(paths.subList(0, 3));
      assertThat(first.get().ended)
          .isEqualTo(Map.of(paths.get(0), Outcome.GOOD, saved, Outcome.GOOD));
      assertThat(record(store).after()).isEqualTo(saved);

      AtomicReference<Held> second = new AtomicReference<>();
      Scrubber after =
          started(
              store,
              knowing(files),
              pace -> {
                second.set(new Held(stores, dataNode, (path, bytes) -> pace.take(bytes)));
                return second.get();
              });
      await(() -> record(store).passes() == 1);
      after.close();
      assertThat(second.get().begun).isEqualTo(paths.subList(2, paths.size()));
      assertThat(second.get().ended.values()).containsOnly(Outcome.GOOD);
      ScrubRecord through = record(store);
      assertThat(through.passFiles()).isEqualTo(paths.size());
      assertThat(through.passBytes())
          .isGreaterThanOrEqualTo(files.stream().mapToLong(ScrubFile::length).sum());
      assertThat(through.findings()).isEmpty();
    }
  }

  private static ScrubRecord record(ClusterStore store) {
    try {
      return store.reports().scrub(NODE).orElse(ScrubRecord.NONE);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Those of a volume that was written and is left alone, by their paths. */
  private List<ScrubFile> finishedFiles(TestVolume v, RegionStores stores) throws Exception {
    byte[] content = new byte[BLOCKS * BLOCK];
    new Random(8).nextBytes(content);
    v.awaitMount();
    v.write(0, ByteBuffer.wrap(content)).get();
    v.flush().get();
    v.awaitCompletion(stores, 1);
    v.stopMembers();
    List<ScrubFile> files = new ArrayList<>();
    for (int r = 0; r < spec.regionCount(); r++) {
      files.addAll(stores.certified(spec, spec.regionId(r), 1));
    }
    files.sort(Comparator.comparing(ScrubFile::path));
    return files;
  }

  private ScrubFile file(int region, int number) {
    return new ScrubFile(
        spec, spec.regionId(region), Kind.LOG, number, 10, null, false, new byte[0]);
  }

  /** Checks with a fixed outcome for each file; the default is good. */
  private static final class Fixed implements ReplicaChecks {
    final List<String> checked = new CopyOnWriteArrayList<>();
    final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
    volatile String failing = "";

    @Override
    public Result scrub(ScrubFile f) throws IOException {
      checked.add(f.path());
      if (f.path().equals(failing)) {
        throw new InterruptedIOException("it cannot be read now");
      }
      return new Result(outcomes.getOrDefault(f.path(), Outcome.GOOD), "");
    }

    @Override
    public Set<String> unfinished(Collection<String> paths) {
      return Set.of();
    }

    @Override
    public boolean isGone(String path) {
      return false;
    }

    long times(ScrubFile f) {
      return checked.stream().filter(f.path()::equals).count();
    }
  }

  @Test
  void aFileThatIsNotCompleteYetOrCannotBeReadWaitsAndHoldsNothingUp() throws Exception {
    ScrubFile open = file(0, 1);
    ScrubFile unreadable = file(0, 2);
    ScrubFile other = file(0, 3);
    Fixed checks = new Fixed();
    checks.outcomes.put(open.path(), Outcome.OPEN);
    checks.failing = unreadable.path();
    AtomicInteger steps = new AtomicInteger();
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect();
        Scrubber s =
            started(
                store,
                new Known() {
                  @Override
                  public boolean now(
                      List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
                    steps.incrementAndGet();
                    to.addAll(List.of(open, unreadable, other));
                    return false; // so no pass begins
                  }
                },
                pace -> checks)) {
      s.noticed(open.path());
      s.noticed(unreadable.path());
      s.noticed(other.path());
      await(() -> checks.times(other) == 1);
      assertThat(checks.checked)
          .as("each has its turn")
          .isEqualTo(List.of(open.path(), unreadable.path(), other.path()));
      await(() -> checks.times(open) == 3 && checks.times(unreadable) == 3);
      assertThat(s.getUrgent()).isEqualTo(2);
      assertThat(steps.get()).as("steps in the seconds of two waits").isLessThan(40);
      checks.outcomes.remove(open.path());
      checks.failing = "";
      await(() -> s.getUrgent() == 0);
      assertThat(checks.times(open)).isEqualTo(4);
      assertThat(checks.times(unreadable)).isEqualTo(4);
      assertThat(checks.times(other)).isEqualTo(1);
    }
  }

  /**
   * Closes the store like a server that stops. A late result of a check gets lost, which is no bug.
   */
  @Test
  void aScrubberWhoseStoreIsClosedUnderItEndsInPeace() throws Exception {
    List<Throwable> faults = new CopyOnWriteArrayList<>();
    CountDownLatch replaced = new CountDownLatch(1);
    Fixed checks = new Fixed();
    checks.outcomes.put(file(0, 1).path(), Outcome.BAD);
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      AtomicReference<Scrubber> made = new AtomicReference<>();
      AtomicReference<Thread> scrubbing = new AtomicReference<>();
      made.set(
          new Scrubber(
              NODE,
              SETTINGS,
              store.reports(),
              new Scrubber.Files() {
                @Override
                public boolean now(
                    List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
                  return to.add(file(0, 1));
                }

                @Override
                public void replaced(ScrubFile f) {
                  scrubbing.set(Thread.currentThread());
                  made.get().close();
                  store.close();
                  replaced.countDown();
                }
              },
              checks,
              new ScrubPace(SETTINGS.scrubRate()),
              (what, bug) -> faults.add(bug)));
      made.get().start();
      replaced.await();
      scrubbing.get().join();
      assertThat(faults).isEmpty();
    }
  }

  @Test
  void aFileThatAPassFindsIncompleteIsCheckedWhenItIsComplete() throws Exception {
    ScrubFile open = file(0, 1);
    Fixed checks = new Fixed();
    checks.outcomes.put(open.path(), Outcome.OPEN);
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect();
        Scrubber s = started(store, knowing(List.of(open)), pace -> checks)) {
      await(() -> s.getPasses() == 1);
      assertThat(s.getUrgent()).isEqualTo(1);
      checks.outcomes.remove(open.path());
      await(() -> s.getUrgent() == 0);
    }
  }

  @Test
  void aPassWaitsForTheFilesOfMembersThatDoNotServeYetAndUrgentOnesDoNot() throws Exception {
    ScrubFile early = file(0, 1);
    ScrubFile late = file(1, 1);
    ScrubFile last = file(1, 2);
    Fixed checks = new Fixed();
    List<ScrubFile> known = new CopyOnWriteArrayList<>(List.of(late, last));
    AtomicInteger steps = new AtomicInteger();
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      store.reports().scrub(NODE, ScrubRecord.NONE.begin(System.currentTimeMillis()));
      try (Scrubber s =
          started(
              store,
              new Known() {
                @Override
                public boolean now(
                    List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
                  steps.incrementAndGet();
                  to.addAll(known);
                  return known.contains(early);
                }
              },
              pace -> checks)) {
        s.noticed(late.path());
        await(() -> steps.get() >= 4);
        assertThat(checks.checked).containsExactly(late.path());
        known.add(early);
        await(() -> s.getPasses() == 1);
        assertThat(checks.checked)
            .containsExactly(late.path(), early.path(), late.path(), last.path());
      }
    }
  }
}
