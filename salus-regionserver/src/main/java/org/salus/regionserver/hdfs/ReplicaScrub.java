package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.Signer;
import org.salus.core.checkpoint.CheckpointCheck;
import org.salus.core.checkpoint.CheckpointScan;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogReader;
import org.salus.core.log.RepairPermit;
import org.salus.core.path.FilePath.Kind;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.ReplicaRepair;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a server's own replicas of finished files against the members' certificates. It has HDFS
 * replace a bad replica, but only if a good one exists elsewhere. Calls block; for one thread.
 */
public final class ReplicaScrub implements ReplicaChecks {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaScrub.class);
  private static final String MISSING = "the DataNode has no replica";

  /** Limits the rate of reading. */
  @FunctionalInterface
  public interface Pace {
    /**
     * Waits until so many bytes may be read.
     *
     * @throws IOException when the scrubber stops
     */
    void take(int bytes) throws IOException;
  }

  private final String node;
  private final String own;
  private final VolumeFiles files;
  private final Configuration conf;
  private final Signer signer;
  private final ReplicaRepair repair;
  private final Pace pace;
  private final ByteBuffer memory = ReplicaWindow.memory();

  /**
   * @param node this server
   * @param own "ip:port" of its DataNode
   */
  ReplicaScrub(
      String node, String own, VolumeFiles files, Configuration conf, Signer signer, Pace pace) {
    this.node = node;
    this.own = own;
    this.files = files;
    this.conf = conf;
    this.signer = signer;
    this.repair = new ReplicaRepair(files, conf);
    this.pace = pace;
  }

  @Override
  public Result scrub(ScrubFile f) throws IOException {
    Optional<BlockHandle> handle = files.locate(f.path());
    if (handle.isEmpty() || handle.get().open()) {
      return new Result(handle.isEmpty() ? Outcome.ABSENT : Outcome.OPEN, "");
    }
    if (repair.wasCutShort(f.path())) {
      LOG.info("{} has one replica fewer than it should: a repair was cut short", f.path());
      repair.restoreReplication(f.path(), permit(f, handle.get()));
    }
    boolean listed = handle.get().indexOf(own) >= 0;
    String problem = ownProblem(f, handle.get());
    if (problem != null && isFinished(f)) {
      problem = ownProblem(f, handle.get()); // HDFS may have just moved it
    }
    if (problem == null || problem.equals(MISSING) && !listed || !isFinished(f)) {
      return new Result(problem == null ? Outcome.GOOD : Outcome.ABSENT, "");
    }
    LOG.error("{}: the replica on {} is bad: {}", f.path(), own, problem);
    return repair(f, handle.get(), problem);
  }

  @Override
  public Set<String> unfinished(Collection<String> paths) {
    return repair.lacking(paths);
  }

  @Override
  public boolean isGone(String path) throws IOException {
    return files.locate(path).isEmpty();
  }

  private boolean isFinished(ScrubFile f) throws IOException {
    return files.locate(f.path()).filter(h -> !h.open()).isPresent();
  }

  private Result repair(ScrubFile f, BlockHandle handle, String problem) throws IOException {
    List<String> others = new ArrayList<>(handle.dataNodes());
    others.remove(own);
    List<String> why = new ArrayList<>();
    if (!hasGood(f, handle, others, why)) {
      LOG.error("{}: no other replica is good, so nothing is changed: {}", f.path(), why);
      return new Result(
          Outcome.BAD, problem + "; no other replica is good, so nothing is changed: " + why);
    }
    try {
      repair.replace(handle, own, permit(f, handle));
    } catch (IOException failed) {
      LOG.warn("{} cannot be repaired now: {}", f.path(), failed.getMessage());
      return new Result(
          Outcome.BAD, problem + "; it cannot be repaired now: " + failed.getMessage());
    }
    List<String> still = new ArrayList<>();
    BlockHandle now = files.locate(f.path()).orElse(null);
    for (String dataNode : now == null ? List.<String>of() : now.dataNodes()) {
      String wrong = problem(f, now, dataNode);
      if (wrong != null) {
        still.add(dataNode + ": " + wrong);
      }
    }
    if (!still.isEmpty()) {
      LOG.error("{}: after a repair these replicas are bad: {}", f.path(), still);
      return new Result(Outcome.BAD, problem + "; after a repair these replicas are bad: " + still);
    }
    LOG.info(
        "{}: repaired, its replicas on {} are good",
        f.path(),
        now == null ? "(none: it was deleted)" : now.dataNodes());
    return new Result(Outcome.REPAIRED, problem + "; repaired");
  }

  private boolean hasGood(ScrubFile f, BlockHandle handle, List<String> others, List<String> why) {
    for (String dataNode : others) {
      String wrong = problem(f, handle, dataNode);
      if (wrong == null) {
        return true;
      }
      why.add(dataNode + ": " + wrong);
    }
    return false;
  }

  private byte[] permit(ScrubFile f, BlockHandle handle) {
    return RepairPermit.sign(f.path(), f.manifest(), node, own, handle.blockId(), signer).encode();
  }

  /** Returns what is wrong with the own replica, or null. */
  private String ownProblem(ScrubFile f, BlockHandle handle) throws IOException {
    Optional<LocalReplicaReader> replica =
        LocalReplicaReader.openUncached(handle, own, files, conf);
    if (replica.isEmpty()) {
      return MISSING;
    }
    try (ReplicaReader reader = replica.get()) {
      return problem(f, reader);
    }
  }

  /** Returns what is wrong with a replica elsewhere, or null. */
  private String problem(ScrubFile f, BlockHandle handle, String dataNode) {
    try (ReplicaReader reader = LocalReplicaReader.open(handle, handle.indexOf(dataNode), conf)) {
      return problem(f, reader);
    } catch (IOException unreachable) {
      return "cannot be read: " + unreachable.getMessage();
    }
  }

  private String problem(ScrubFile f, ReplicaReader reader) throws IOException {
    long length = reader.length();
    if (length < f.length() || f.kind() == Kind.CHECKPOINT && length > f.length()) {
      return "it has " + length + " bytes instead of " + f.length();
    }
    ReplicaWindow window = new ReplicaWindow(reader, pace, memory);
    String wrong = f.kind() == Kind.LOG ? wrongSegment(f, window) : wrongCheckpoint(f, window);
    pace.take(0); // throws if the scrubber has stopped: then the replica was not read to its end
    if (wrong == null && !window.sumsAreRight()) {
      return "HDFS's own checksums of it are wrong";
    }
    return wrong == null || window.failure() == null
        ? wrong
        : wrong + " (" + window.failure().getMessage() + ")";
  }

  private String wrongSegment(ScrubFile f, ReplicaWindow window) {
    LogReader log = new LogReader(window, f.region(), f.number(), signer).withLeafHashes();
    while (log.end() < f.length() && log.next() != null) {
      continue;
    }
    return log.end() == f.length()
        ? null
        : "it is valid up to " + log.end() + " of " + f.length() + " bytes";
  }

  private static String wrongCheckpoint(ScrubFile f, ReplicaWindow window) {
    CheckpointCheck check = new CheckpointCheck(f.spec().regionBlocks(), f.oldest());
    CheckpointScan scan = new CheckpointScan(window, f.length(), f.spec().blockSize(), check);
    if (!scan.read()) {
      return "it cannot be read at " + scan.end();
    }
    if (scan.crc() != f.checkpoint().crc()) {
      return String.format("its CRC32C is %08x instead of %08x", scan.crc(), f.checkpoint().crc());
    }
    if (scan.problem() != null) {
      return scan.problem();
    }
    try {
      check.finish(f.checkpoint().root());
      return null;
    } catch (UnreadableException wrong) {
      return wrong.getMessage();
    }
  }
}
