package org.salus.regionserver.scrub;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.salus.host.DaemonThreads;
import org.salus.host.FaultHandler;
import org.salus.host.config.ServerSettings;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ScrubRecord;
import org.salus.regionserver.hdfs.ReplicaChecks;
import org.salus.regionserver.hdfs.ReplicaChecks.Outcome;
import org.salus.regionserver.hdfs.ReplicaChecks.Result;
import org.salus.regionserver.hdfs.ScrubFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the replicas on a server's DataNode in the background, file by file in the order of their
 * paths. Files that a read found damaged come first. So do all files of a region in which this
 * server has answered wrongly. The record of a pass is in ZooKeeper. After a restart the pass goes
 * on and repeats only the checks of the last few seconds.
 *
 * <p>One thread of its own makes the checks. The other methods may be called by any thread.
 */
public final class Scrubber implements AutoCloseable, ScrubStatusMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  /** The pause before the first check, so that members can open. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time after a check in which reads do not cause another check of the same file. */
  private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The pause before a file whose urgent check failed is tried again. */
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * The longest time that a damaged file waits until a manifest names it. It is also the longest
   * time that a pass waits for members that do not serve.
   */
  private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** The files to check. */
  public interface Files {
    /**
     * Adds the files of all members on this server.
     *
     * @param to takes the files
     * @param doubtful takes the paths that are to be checked at once because this server has
     *     answered wrongly
     * @param pending tells whether a path is still to be checked at once, or has a bad replica
     * @return false while some files are not known: a member does not serve yet, or this server may
     *     be about to get one
     */
    boolean now(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending);

    /** Says that this server's replica of a file was replaced. */
    void replaced(ScrubFile f);
  }

  /**
   * A file that is to be checked at once.
   *
   * @param since when it became urgent, in nanoseconds
   * @param due the earliest time of its check, in nanoseconds
   */
  private record Urgent(long since, long due) {
    static Urgent at(long now) {
      return new Urgent(now, now);
    }
  }

  private final String node;
  private final ServerSettings settings;
  private final ClusterReports reports;
  private final Files files;
  private final ReplicaChecks scrub;
  private final ScrubPace pace;
  private final FaultHandler faults;

  /** The thread that makes the checks; null before the start. */
  private volatile Thread thread;

  /** Paths to check at once: reads found them damaged, or this server is doubted. */
  private final Map<String, Urgent> urgent = new ConcurrentHashMap<>();

  private final Map<String, Long> checked = new ConcurrentHashMap<>();
  private volatile ScrubRecord record = ScrubRecord.NONE;

  /** Whether the record was read. */
  private volatile boolean known;

  private long saved;
  private long retried = System.nanoTime() - RETRY_NANOS;

  /** When all files were last known, in nanoseconds. */
  private long complete = System.nanoTime();

  /** The path of the pass whose check has failed once, or "". */
  private String tried = "";

  /**
   * @param scrub makes the checks
   * @param pace the pace that {@code scrub} keeps
   * @param faults takes bugs of the checks
   */
  public Scrubber(
      String node,
      ServerSettings settings,
      ClusterReports reports,
      Files files,
      ReplicaChecks scrub,
      ScrubPace pace,
      FaultHandler faults) {
    this.node = node;
    this.settings = settings;
    this.reports = reports;
    this.files = files;
    this.scrub = scrub;
    this.pace = pace;
    this.faults = faults;
  }

  public void start() {
    thread = DaemonThreads.create("salus-scrub-" + node, this::run);
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }

  /** Says that a read found this file damaged, so it is to be checked at once. */
  public void noticed(String path) {
    Long last = checked.get(path);
    if ((last == null || System.nanoTime() - last > FORGET_NANOS)
        && urgent.putIfAbsent(path, Urgent.at(System.nanoTime())) == null) {
      LOG.info(
          "{}: a read found its replica on this server damaged; it is checked as soon as the file"
              + " is finished",
          path);
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    pause(SETTLE_NANOS);
    while (!pace.hasEnded()) {
      try {
        if (!known) {
          record = reports.scrub(node).orElse(ScrubRecord.NONE);
          known = true;
        } else if (!step()) {
          pause(IDLE_NANOS);
        }
      } catch (IOException later) {
        if (!pace.hasEnded()) {
          LOG.warn("the check of replicas goes on later: {}", later.getMessage());
          pause(AFTER_FAILURE_NANOS);
        }
      } catch (RuntimeException bug) {
        if (!pace.hasEnded()) { // otherwise its files and connections were closed meanwhile
          faults.onFault("checking replicas", bug);
        }
        return;
      }
    }
  }

  private void pause(long nanos) {
    if (!pace.hasEnded()) {
      LockSupport.parkNanos(nanos);
    }
  }

  /** Makes one step; returns false when there is nothing to do now. */
  private boolean step() throws IOException {
    List<ScrubFile> all = new ArrayList<>();
    List<String> doubtful = new ArrayList<>();
    boolean isComplete =
        files.now(
            all, doubtful, path -> urgent.containsKey(path) || record.unsettled().contains(path));
    long now = System.nanoTime();
    doubtful.forEach(path -> urgent.putIfAbsent(path, Urgent.at(now)));
    if (isComplete) {
      complete = now;
      Set<String> paths = all.stream().map(ScrubFile::path).collect(Collectors.toSet());
      urgent
          .entrySet()
          .removeIf(e -> now - e.getValue().since() > GIVE_UP_NANOS && !paths.contains(e.getKey()));
    }
    checked.values().removeIf(when -> now - when > FORGET_NANOS);
    retry(all, now); // what was bad may have been the last file here, and be gone
    if (all.isEmpty()) {
      return false;
    }
    for (ScrubFile f : all) {
      Urgent u = urgent.get(f.path());
      if (u != null && now - u.due() >= 0) {
        attend(f, u.since());
        return true;
      }
    }
    // A pass goes by the order of the paths, so it would skip files that are not known yet.
    return settings.scrubRate() > 0 && (isComplete || now - complete > GIVE_UP_NANOS) && pass(all);
  }

  /** Makes an urgent check. If it fails, the file waits and the next ones are not held up. */
  private void attend(ScrubFile f, long since) throws IOException {
    boolean done = false;
    try {
      done = examine(f);
    } catch (IOException failed) {
      if (pace.hasEnded()) {
        throw failed;
      }
      LOG.warn("{} is checked later: {}", f.path(), failed.getMessage());
    }
    if (done) {
      urgent.remove(f.path());
    } else {
      urgent.put(f.path(), new Urgent(since, System.nanoTime() + WAIT_NANOS));
    }
  }

  /**
   * Repeats repairs that failed until the file is good or gone. It also watches repairs that other
   * servers began.
   */
  private void retry(List<ScrubFile> all, long now) throws IOException {
    if (now - retried < RETRY_NANOS) {
      return;
    }
    retried = now;
    scrub
        .unfinished(all.stream().map(ScrubFile::path).toList())
        .forEach(path -> urgent.putIfAbsent(path, Urgent.at(now)));
    for (String path : record.unsettled()) {
      if (all.stream().anyMatch(f -> f.path().equals(path))) {
        urgent.putIfAbsent(path, Urgent.at(now));
      } else if (scrub.isGone(path)) {
        record = record.settled(path);
        save();
      }
    }
  }

  private boolean pass(List<ScrubFile> all) throws IOException {
    if (!record.running()) {
      if (System.currentTimeMillis() - record.began() < settings.scrubInterval().toMillis()) {
        return false;
      }
      record = record.begin(System.currentTimeMillis());
      LOG.info(
          "pass {} over the replicas on this server's DataNode begins: {} files",
          record.passes() + 1,
          all.size());
      save();
    }
    Optional<ScrubFile> next =
        all.stream()
            .filter(f -> f.path().compareTo(record.after()) > 0)
            .min(Comparator.comparing(ScrubFile::path));
    if (next.isEmpty()) {
      record = record.end(System.currentTimeMillis());
      LOG.info(
          "pass {} over the replicas on this server's DataNode is through: {} files, {} MiB in {}"
              + " s; so far {} bad replicas, {} of them repaired",
          record.passes(),
          record.passFiles(),
          record.passBytes() >> 20,
          (record.ended() - record.began()) / 1000,
          record.bad(),
          record.repaired());
      save();
      return true;
    }
    String path = next.get().path();
    long before = pace.read();
    try {
      if (!examine(next.get())) {
        urgent.putIfAbsent(path, Urgent.at(System.nanoTime())); // it is checked when it is complete
      }
      tried = "";
    } catch (IOException failed) {
      if (pace.hasEnded() || !tried.equals(path)) {
        tried = path;
        throw failed; // once more, after a pause
      }
      LOG.warn("{} is left out of this pass: {}", path, failed.getMessage());
    }
    record = record.checked(path, pace.read() - before);
    if (System.nanoTime() - saved > SAVE_NANOS) {
      save();
    }
    return true;
  }

  /** Checks one file; returns false when the file is not complete yet. */
  private boolean examine(ScrubFile f) throws IOException {
    Result r = scrub.scrub(f);
    if (r.outcome() == Outcome.OPEN) {
      return false;
    }
    checked.put(f.path(), System.nanoTime());
    if (r.outcome() == Outcome.REPAIRED || r.outcome() == Outcome.BAD) {
      record =
          record.found(
              new ScrubRecord.Finding(
                  System.currentTimeMillis(), f.path(), r.outcome() == Outcome.REPAIRED, r.what()));
      files.replaced(f);
      save();
    } else if (record.unsettled().contains(f.path())) {
      record = record.settled(f.path());
      save();
    }
    return true;
  }

  private void save() throws IOException {
    reports.scrub(node, record);
    saved = System.nanoTime();
  }

  @Override
  public boolean isKnown() {
    return known;
  }

  @Override
  public boolean isRunning() {
    return record.running();
  }

  @Override
  public long getPasses() {
    return record.passes();
  }

  @Override
  public long getPassFiles() {
    return record.passFiles();
  }

  @Override
  public long getPassBytes() {
    return record.passBytes();
  }

  @Override
  public long getBytes() {
    return record.bytes();
  }

  @Override
  public long getBadReplicas() {
    return record.bad();
  }

  @Override
  public int getUnrepairedReplicas() {
    return record.unsettled().size();
  }

  @Override
  public long getRepairedReplicas() {
    return record.repaired();
  }

  @Override
  public int getUrgent() {
    return urgent.size();
  }

  /** Ends the checks soon. It cuts a repair short; the next check of the file finishes it. */
  @Override
  public void close() {
    pace.end();
    LockSupport.unpark(thread);
  }
}
