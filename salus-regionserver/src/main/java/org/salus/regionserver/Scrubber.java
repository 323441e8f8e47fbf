package org.salus.regionserver;

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
 * paths, and at once those that a read has found damaged, and all of a region where this server has
 * answered wrongly. A pass goes on where it was after a restart, but for what was checked in the
 * last few seconds: its record is in ZooKeeper.
 */
final class Scrubber implements AutoCloseable, ScrubStatusMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  /** Time for members to open after a start. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A file that was checked is not checked again for a read's sake within this. */
  private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** After this a file that is to be checked at once, and could not be, is looked at again. */
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * So long a damaged file waits to be named by a manifest of a member on this server, and a pass
   * for members that do not serve.
   */
  private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** The files to check. */
  interface Files {
    /**
     * Adds those of all members on this server. False while some are not known: a member does not
     * serve yet, or this server may be about to get one.
     *
     * @param doubtful takes the paths of those that are to be checked at once, for this server has
     *     answered wrongly
     * @param pending whether a path is still to be checked at once, or its replica is bad
     */
    boolean now(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending);

    /** The own replica of a file was made anew. */
    void replaced(ScrubFile f);
  }

  /**
   * A file that is to be checked at once.
   *
   * @param since in nanoseconds
   * @param due not before that, in nanoseconds
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

  /** Null before the start. */
  private volatile Thread thread;

  /** Paths that reads have found damaged, or that may be. */
  private final Map<String, Urgent> urgent = new ConcurrentHashMap<>();

  private final Map<String, Long> checked = new ConcurrentHashMap<>();
  private volatile ScrubRecord record = ScrubRecord.NONE;
  private long saved;
  private long retried = System.nanoTime() - RETRY_NANOS;

  /** When all files were known last. */
  private long complete = System.nanoTime();

  /** A file of the pass that could not be checked once. */
  private String tried = "";

  /**
   * @param scrub makes the checks, with this pace
   * @param faults takes bugs of the checks
   */
  Scrubber(
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

  void start() {
    thread = DaemonThreads.create("salus-scrub-" + node, this::run);
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }

  /** A read has found this file damaged: it is checked at once. */
  void noticed(String path) {
    Long last = checked.get(path);
    if ((last == null || System.nanoTime() - last > FORGET_NANOS)
        && urgent.putIfAbsent(path, Urgent.at(System.nanoTime())) == null) {
      LOG.info(
          "{}: a read found its replica on this server damaged; it is checked as soon as it is a finished file",
          path);
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    pause(SETTLE_NANOS);
    boolean known = false;
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
          LOG.warn("checking replicas goes on later: {}", later.getMessage());
          pause(AFTER_FAILURE_NANOS);
        }
      } catch (RuntimeException bug) {
        if (!pace.hasEnded()) { // else what it uses was closed under it
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

  /** Does one thing; false when there is nothing to do now. */
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
    if (all.isEmpty()) {
      return false;
    }
    checked.values().removeIf(when -> now - when > FORGET_NANOS);
    retry(all, now);
    for (ScrubFile f : all) {
      Urgent u = urgent.get(f.path());
      if (u != null && now - u.due() >= 0) {
        attend(f, u.since());
        return true;
      }
    }
    // What is not known yet would be skipped, for a pass goes by the order of the paths.
    return settings.scrubRate() > 0 && (isComplete || now - complete > GIVE_UP_NANOS) && pass(all);
  }

  /**
   * Checks a file that is to be checked at once; when it cannot be, it waits, and holds up no
   * other.
   */
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
   * What could not be repaired is tried again and again, until it is good or gone, and a repair
   * that another server began is looked after.
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
          "pass {} over the replicas on this server's DataNode is through: {} files, {} MiB in {} s; so far {} bad replicas, {} of them repaired",
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

  /** False when the file is not complete yet. */
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
  public long getRepairedReplicas() {
    return record.repaired();
  }

  @Override
  public int getUrgent() {
    return urgent.size();
  }

  /**
   * Ends soon; a repair that is under way is cut short, and ended by the next check of its file.
   */
  @Override
  public void close() {
    pace.end();
    LockSupport.unpark(thread);
  }
}
