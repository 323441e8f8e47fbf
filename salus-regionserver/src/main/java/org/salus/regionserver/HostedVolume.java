package org.salus.regionserver;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.path.VolumePath;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.WaitsRecord;
import org.salus.host.zk.Watch;
import org.salus.regionserver.hdfs.ScrubFile;
import org.salus.regionserver.meter.VolumeMeter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of one volume that are on this server. Changes come one at a time, on the store's
 * thread, which never waits for HDFS. After {@link #close}, which another thread calls, no change
 * starts or stops a member.
 */
final class HostedVolume implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostedVolume.class);
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final VolumeSpec spec;
  private final HostTools tools;
  private final Map<Integer, HostedRegion> regions = new ConcurrentHashMap<>();
  private VolumeDirectory directory;

  /** Null before the first member. Most servers of a large cluster have no member of a volume. */
  private VolumeMeter meter;

  private Watch watch;
  private volatile VolumeRecord.State state = VolumeRecord.State.ACTIVE;
  private volatile boolean closed;

  /** Whether the files are gone; used on the thread for deletions only. */
  private boolean deleted;

  HostedVolume(VolumeSpec spec, HostTools tools) {
    this.spec = spec;
    this.tools = tools;
  }

  void start() {
    directory =
        VolumeDirectory.watch(
            tools.store(), spec, new Signer(tools.self().secret()), this::changed);
    watch =
        tools
            .store()
            .watchVolume(
                spec.name(),
                now -> changed(now.map(VolumeRecord::state).orElse(VolumeRecord.State.DELETED)));
  }

  private synchronized VolumeMeter meter() {
    if (meter == null) {
      meter = new VolumeMeter(tools.metrics(), spec.name());
    }
    return meter;
  }

  VolumeSpec spec() {
    return spec;
  }

  VolumeDirectory directory() {
    return directory;
  }

  private synchronized void changed(VolumeRecord.State now) {
    if (!closed) {
      state = now;
      closeDeleted();
      lookForDeletion();
    }
  }

  private synchronized void changed(int region, Optional<Versioned<RrsRecord>> now) {
    if (closed) {
      return;
    }
    if (now.isPresent()) {
      regions
          .computeIfAbsent(region, r -> new HostedRegion(spec, r, tools, this::meter))
          .follow(now.get());
    } else {
      closeDeleted();
      lookForDeletion();
    }
  }

  /**
   * Ends the members of regions whose records are gone, if the volume is being deleted. Otherwise
   * somebody has removed the record, and the master makes it again.
   */
  private void closeDeleted() {
    if (state == VolumeRecord.State.DELETING || state == VolumeRecord.State.DELETED) {
      for (int region : List.copyOf(regions.keySet())) {
        if (directory.rrs(region).isEmpty()) {
          regions.remove(region).close();
        }
      }
    }
  }

  /** Looks again for work, because the set of living servers has changed. */
  void wake() {
    lookForDeletion();
  }

  private void lookForDeletion() {
    if (state == VolumeRecord.State.DELETING) {
      tools.threads().deletions().execute(this::deleteFiles);
    }
  }

  /**
   * Removes the files of a volume that is being deleted, once no member is left. Only the first of
   * the living servers does this. Tries again later when HDFS or ZooKeeper fails.
   */
  private void deleteFiles() {
    boolean mine =
        tools.servers().servers().keySet().stream()
            .findFirst()
            .filter(tools.self().node()::equals)
            .isPresent();
    if (state != VolumeRecord.State.DELETING
        || deleted
        || closed
        || !mine
        || !directory.nodes().isEmpty()) {
      return;
    }
    try {
      tools.disk().stores().deleteVolume(new VolumePath(spec.name(), spec.id()));
      tools.store().filesDeleted(spec);
      deleted = true;
      LOG.info("removed the files of volume {}", spec.name());
    } catch (IOException failed) {
      LOG.warn("cannot remove the files of volume {} yet: {}", spec.name(), failed.getMessage());
      tools
          .threads()
          .deletions()
          .schedule(this::deleteFiles, AGAIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  void tick(int loop) {
    regions.values().forEach(r -> r.tick(loop));
  }

  /**
   * Adds the files of all members on this server, as {@link HostedRegion#addFiles} does; returns
   * false while some files are not known.
   */
  boolean addFiles(List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
    boolean all = true;
    for (HostedRegion r : regions.values()) {
      all &= r.addFiles(to, doubtful, pending);
    }
    return all;
  }

  /** Tells the members that this server's replica of a file was replaced. */
  void replaced(ScrubFile f) {
    regions.values().forEach(r -> r.replaced(f));
  }

  /** What waits at members on this server, or lately has. */
  Stream<WaitsRecord.Waits> waits(long now) {
    return regions.values().stream().flatMap(r -> r.waits(now));
  }

  void renewLeases() {
    regions.values().forEach(HostedRegion::renewLease);
  }

  /**
   * Waits until all members are closed.
   *
   * @param untilNanos when to stop waiting, on the clock of {@link System#nanoTime}
   */
  void awaitEnd(long untilNanos) {
    regions.values().forEach(r -> r.awaitEnd(untilNanos));
  }

  @Override
  public synchronized void close() {
    closed = true;
    directory.close();
    watch.close();
    regions.values().forEach(HostedRegion::close);
    if (meter != null) {
      meter.close();
    }
  }
}
