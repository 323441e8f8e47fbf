package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.salus.core.Signer;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.log.SegmentEnd;
import org.salus.core.member.MemberRules;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaFloor;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one region's log from the replicas of its segments: for the opening of an epoch, for a
 * server that is to join, and to check a replica that others get a copy of. Methods block on I/O.
 * It changes no file. Thread-safe.
 */
final class RegionLog {
  private static final Logger LOG = LoggerFactory.getLogger(RegionLog.class);

  private final RegionFiles files;
  private final OpenSegments readers;
  private final Signer signer;
  private final Damage damage;
  private final ReplicaFloor floor;

  /** For each open segment, how far the last scan found its own replica valid. */
  private final Map<Long, LogReader.Mark> scanned = new ConcurrentHashMap<>();

  /** For each open segment, the stamp under which the own replica is equal to the others. */
  private final Map<Long, Long> kept = new ConcurrentHashMap<>();

  /** The segments of which M0 may give the own replica new stamps. */
  private final Set<Long> mayRise = ConcurrentHashMap.newKeySet();

  /** The member's epoch, once it has scanned. */
  private volatile int epoch;

  /** The epoch that served last. */
  private int served;

  RegionLog(RegionFiles files, OpenSegments readers, Signer signer, Damage damage) {
    this.files = files;
    this.readers = readers;
    this.signer = signer;
    this.damage = damage;
    this.floor = new ReplicaFloor(files.own(), files.files(), files.conf(), signer);
  }

  /**
   * Reads the log from the own replicas (§4.4, phase 2). From then on the own DataNode lets nobody
   * cut what was found valid.
   *
   * @param known the part of the log that need not be read again
   * @param link the member's epoch
   * @param before the log before the epoch that served last
   * @throws IOException when the log has not reached it, or a file cannot be read now
   */
  LogScan.Found scan(KnownLog known, EpochLink link, LogBefore before) throws IOException {
    epoch = link.epoch();
    served = link.served();
    Member self = link.members().get(files.place());
    LogScan scan = new LogScan(link, before, self);
    LeftOutReplicas others = link.isHolder(self) ? null : new LeftOutReplicas(files, link, signer);
    List<Long> finished = new ArrayList<>();
    Map<Long, BlockHandle> open = new TreeMap<>();
    for (Map.Entry<Long, VolumeFiles.FileEntry> e : files.segments().entrySet()) {
      long segment = e.getKey();
      if (scan.skips(segment)) {
        continue;
      }
      Optional<BlockHandle> handle =
          e.getValue().underConstruction()
              ? files.files().locate(files.path(Kind.LOG, segment))
              : Optional.empty();
      if (handle.isPresent() && handle.get().open()) {
        scanOpen(segment, handle.get(), known.written(segment), scan, others);
        open.put(segment, handle.get());
        continue;
      }
      SegmentEnd end =
          new SegmentEnd(segment, handle.map(BlockHandle::length).orElse(e.getValue().length()));
      scan.finished(end);
      if (end.length() > 0) {
        finished.add(0, segment);
      }
    }
    int newest = scan.newestEpoch();
    for (int i = 0; link.mustReach(self) && newest < link.served() && i < finished.size(); i++) {
      newest = Math.max(newest, headEpoch(finished.get(i)));
    }
    if (newest < link.served() && link.isHolder(self)) {
      newest = Math.max(newest, newestOfMembers(open, scan));
    }
    if (!scan.mayTakePart(newest, LogRules.PAPER)) {
      throw new IOException(whyNot(link, scan, newest));
    }
    LogScan.Found found = scan.found();
    for (SegmentEnd s : found.proven()) {
      LOG.error(
          "{} on {} does not have all of it: the log was certified up to byte {}",
          files.path(Kind.LOG, s.segment()),
          files.own(),
          s.length());
    }
    return found;
  }

  /**
   * The newest epoch in the open replicas of the other members. If one of them has what this one
   * has lost, that one says how far the log goes.
   */
  private int newestOfMembers(Map<Long, BlockHandle> open, LogScan scan) {
    int newest = 0;
    for (Map.Entry<Long, BlockHandle> e : open.entrySet()) {
      for (String dataNode : files.dataNodes()) {
        if (!dataNode.equals(files.own())) {
          newest = Math.max(newest, scan.epochOf(head(e.getKey(), e.getValue(), dataNode)));
        }
      }
    }
    return newest;
  }

  /** The record at the head of a replica, or null. */
  private LogRecord head(long segment, BlockHandle handle, String dataNode) {
    try (ReplicaReader replica = files.openOf(handle, dataNode).orElse(null)) {
      return replica == null
          ? null
          : new LogReader(SegmentReplicas.only(replica), files.region(), segment, signer).next();
    } catch (IOException unreachable) {
      LOG.info("{} is not read from {}: {}", handle.path(), dataNode, unreachable.getMessage());
      return null;
    }
  }

  /** Why the member takes no part, in words. */
  private String whyNot(EpochLink link, LogScan scan, int newest) {
    List<String> holders = link.holders().stream().map(Member::dataNode).toList();
    return scan.hasWholeHolder()
        ? "the log in "
            + files.directory()
            + " ends with epoch "
            + newest
            + ", but epoch "
            + link.served()
            + " has served: its files, or their replicas on "
            + (link.rebuilds() ? holders : "DataNode " + files.own())
            + ", are gone or damaged; bring them back"
        : "no DataNode of the holders "
            + holders
            + " can say all that it has of the log in "
            + files.directory()
            + ": start one of them, under its old address if that has changed";
  }

  /**
   * Reads the holders' replicas of an open segment, in an epoch without a holder.
   *
   * @return whether a recovery went on without them, and no other is found now
   */
  private boolean lookAtHolders(
      long segment, BlockHandle handle, LogScan found, LeftOutReplicas others) throws IOException {
    try (LeftOutReplicas.Found outside = others.of(handle)) {
      Map<String, SegmentReplicas.Single> read = outside.singly();
      found.holders(segment, outside.answered(), readers(segment, read));
      read.forEach(
          (dataNode, replica) -> {
            if (replica.isUnsure()) {
              found.failed(dataNode);
            }
          });
      return outside.leftBehind() && read.isEmpty();
    }
  }

  /** Reads what this server has on the DataNode that it leaves, and others outside the epoch. */
  private void lookAtLeft(long segment, BlockHandle handle, LogScan found, LeftOutReplicas others)
      throws IOException {
    try (LeftOutReplicas.Found outside = others.of(handle)) {
      Map<String, SegmentReplicas.Single> read = outside.singly();
      found.left(segment, readers(segment, read));
      String left = others.left().orElseThrow();
      if (read.containsKey(left) && read.get(left).isUnsure()) {
        throw new IOException(
            "the replica of " + handle.path() + " on " + left + ", which moves, is unreadable");
      }
    }
  }

  private Map<String, LogReader> readers(
      long segment, Map<String, SegmentReplicas.Single> replicas) {
    Map<String, LogReader> readers = new HashMap<>();
    replicas.forEach((d, r) -> readers.put(d, new LogReader(r, files.region(), segment, signer)));
    return readers;
  }

  /**
   * Reads the own replica of an open segment, and what a member has to know of others.
   *
   * @param others finds replicas elsewhere; null for a holder
   */
  private void scanOpen(
      long segment, BlockHandle handle, LogReader.Mark known, LogScan found, LeftOutReplicas others)
      throws IOException {
    boolean rebuilds = others != null && others.rebuilds();
    boolean moves = others != null && others.left().isPresent();
    boolean leftBehind = rebuilds && lookAtHolders(segment, handle, found, others);
    if (moves) {
      lookAtLeft(segment, handle, found, others);
    }
    try (SegmentReplicas replicas = SegmentReplicas.ownOnly(files, handle)) {
      if (!replicas.exists()) {
        missing(segment, handle, known, leftBehind, found, rebuilds || moves ? null : others);
        return;
      }
      replicas.requireKnownFormat();
      LogReader reader = new LogReader(replicas, files.region(), segment, signer);
      if (!found.open(reader, replicas.length(), known)) {
        throw unreadable(handle);
      }
      scanned.put(segment, reader.mark());
      keep(segment, handle, reader.end());
    }
  }

  private IOException unreadable(BlockHandle handle) {
    return new IOException(
        "the replica of " + handle.path() + " on " + files.own() + " is unreadable");
  }

  /**
   * Tells the own DataNode how far its replica is valid, so that M0 cannot have it cut below, and
   * that M0 may give it new stamps.
   */
  private void keep(long segment, BlockHandle handle, long valid) throws IOException {
    mayRise.add(segment);
    floor.tell(handle, epoch, valid);
  }

  /**
   * The file's block is complete by now, though it was open when this member looked first. So no
   * recovery of it is to come.
   */
  private OwnReplica finished(long segment, BlockHandle handle) throws IOException {
    if (mayRise.contains(segment)) {
      // The NameNode may have learned of the own replica since the handle was made.
      Optional<BlockHandle> now = files.files().locate(handle.path());
      if (now.isPresent() && now.get().indexOf(files.own()) >= 0) {
        floor.keepStamp(now.get(), epoch, now.get().length(), files.stamp(now.get()));
      }
    }
    return new OwnReplica(segment, true, handle.length(), handle.length());
  }

  private void missing(
      long segment,
      BlockHandle handle,
      LogReader.Mark known,
      boolean leftBehind,
      LogScan found,
      LeftOutReplicas others)
      throws IOException {
    boolean isLeftBehind = leftBehind || files.isLeftBehind(handle);
    if (others == null) {
      found.missing(segment, known, isLeftBehind, Map.of());
    } else {
      try (LeftOutReplicas.Found outside = others.of(handle)) {
        found.missing(segment, known, isLeftBehind, readers(segment, outside.singly()));
      }
    }
    keep(segment, handle, 0);
  }

  /**
   * Returns the epoch at the head of a finished segment, from any replica that is valid there; 0 if
   * none is.
   */
  private int headEpoch(long segment) throws IOException {
    try (SegmentReplicas replicas = SegmentReplicas.of(files, segment)) {
      LogReader reader = new LogReader(replicas, files.region(), segment, signer);
      do {
        replicas.requireKnownFormat();
        LogRecord head = reader.next();
        if (head != null) {
          return head.epoch();
        }
      } while (replicas.turn());
      return 0;
    }
  }

  /** Reads every record of a segment of this length, from any replicas that are valid there. */
  private void readAll(
      long segment,
      SegmentReplicas replicas,
      LogReader reader,
      long length,
      Consumer<LogRecord> each)
      throws IOException {
    replicas.requireKnownFormat();
    while (reader.end() < length) {
      LogRecord record = reader.next();
      if (record != null) {
        each.accept(record);
      } else {
        LOG.error(
            "{} on {} is not valid beyond {}",
            files.path(Kind.LOG, segment),
            replicas.dataNode(),
            reader.end());
        if (replicas.dataNode().equals(files.own())) {
          damage.noticed(Kind.LOG, segment);
        }
        if (!replicas.turn()) {
          String what =
              "no replica of "
                  + files.path(Kind.LOG, segment)
                  + " that can be reached is valid beyond byte "
                  + reader.end()
                  + "; start the DataNodes that are down, or bring a whole replica back";
          throw replicas.isUnsure()
              ? new IOException(what)
              : new ShortSegmentException(new SegmentEnd(segment, length), what);
        }
      }
    }
  }

  /**
   * Hands over the records of all segments in order, for a server that is to join. Of the open
   * segment it hands over the records certified so far. It changes no file.
   *
   * @param over whether the rest is no longer needed
   */
  void readAhead(Consumer<LogRecord> each, BooleanSupplier over) throws IOException {
    for (long segment : files.segments().keySet()) {
      Optional<BlockHandle> handle = files.files().locate(files.path(Kind.LOG, segment));
      if (over.getAsBoolean() || handle.isEmpty()) {
        return;
      }
      if (handle.get().open()) {
        readOpen(segment, handle.get(), each, over);
        return;
      }
      SegmentReplicas replicas = readers.open(segment);
      readAll(
          segment,
          replicas,
          new LogReader(replicas, files.region(), segment, signer).withoutPayloads(),
          handle.get().length(),
          each);
    }
  }

  /** Reads an open segment from the first replica that can be read. */
  private void readOpen(
      long segment, BlockHandle handle, Consumer<LogRecord> each, BooleanSupplier over) {
    for (String dataNode : files.othersOf(handle)) {
      try (ReplicaReader replica = files.openOther(handle, dataNode)) {
        LogReader reader =
            new LogReader(SegmentReplicas.only(replica), files.region(), segment, signer);
        for (LogRecord r = reader.next(); r != null && !over.getAsBoolean(); r = reader.next()) {
          each.accept(r);
        }
        if (reader.end() > 0) {
          return;
        }
      } catch (IOException unreachable) {
        LOG.info(
            "{} is not read ahead from {}: {}", handle.path(), dataNode, unreachable.getMessage());
      }
    }
  }

  /** Reads the part of the replica that not every member has in its own. */
  boolean isValid(SegmentEnd s, long common, ReplicaReader replica) throws IOException {
    LogReader.Mark seen = scanned.get(s.segment());
    LogReader.Mark from =
        seen == null || common == 0
            ? null
            : new LogReader.Mark(common, seen.members(), seen.epoch());
    // A wrong member may have named a place where no record ends.
    return reaches(s, from, replica) || from != null && reaches(s, null, replica);
  }

  /**
   * @throws IOException when it cannot be read, which says nothing against the member that has it
   */
  private boolean reaches(SegmentEnd s, LogReader.Mark from, ReplicaReader replica)
      throws IOException {
    LogReader reader =
        new LogReader(SegmentReplicas.only(replica), files.region(), s.segment(), signer);
    if (from != null) {
      reader.resume(from);
    } else if (LogScan.isVoid(reader.next(), served)) {
      return false;
    }
    boolean reaches = reader.reaches(s.length());
    if (!reaches && !reader.isReadThrough()) {
      throw new IOException(files.path(Kind.LOG, s.segment()) + " cannot be read to its end");
    }
    return reaches;
  }

  /**
   * Hands over the records of the named segments in order.
   *
   * @param each takes the records
   * @throws ShortSegmentException when no replica of a segment is as long as named
   */
  void replay(MemberEffect.ReplayLog r, Consumer<LogRecord> each) throws IOException {
    LogReader.Mark from = r.from();
    for (SegmentEnd s : r.segments()) {
      SegmentReplicas replicas = readers.open(s.segment());
      LogReader reader = new LogReader(replicas, files.region(), s.segment(), signer).resume(from);
      readAll(
          s.segment(),
          replicas,
          replicas.isComplete() ? reader.withoutPayloads() : reader,
          s.length(),
          each);
      from = null;
    }
  }

  /**
   * Looks at the own replica of each agreed segment. Of a replica in an open file, it reads what
   * lies behind the end that the scan found.
   *
   * @throws IOException when the NameNode or the own DataNode does not answer
   */
  void lookAtOwn(List<SegmentEnd> agreed, Consumer<OwnReplica> own) throws IOException {
    Map<Long, VolumeFiles.FileEntry> listed = agreed.isEmpty() ? Map.of() : files.segments();
    for (SegmentEnd s : agreed) {
      VolumeFiles.FileEntry file = listed.get(s.segment());
      own.accept(
          file != null && !file.underConstruction() && !mayRise.contains(s.segment())
              ? new OwnReplica(s.segment(), true, file.length(), file.length())
              : ownOfOpen(s));
    }
  }

  /** For each segment that is open, the stamp under which the own replica is equal. */
  Map<Long, Long> kept() {
    return Map.copyOf(kept);
  }

  private OwnReplica ownOfOpen(SegmentEnd s) throws IOException {
    String path = files.path(Kind.LOG, s.segment());
    Optional<BlockHandle> handle = files.files().locate(path);
    if (handle.isPresent() && files.files().isBlockComplete(path)) {
      return finished(s.segment(), handle.get());
    }
    if (handle.isPresent()) {
      try (SegmentReplicas replicas = SegmentReplicas.ownOnly(files, handle.get())) {
        if (replicas.exists()) {
          long stamp = files.stamp(handle.get()); // before the reading: a newer one may differ
          LogReader reader =
              new LogReader(replicas, files.region(), s.segment(), signer)
                  .resume(scanned.get(s.segment()));
          reader.reaches(s.length());
          if (replicas.isUnsure()) {
            throw unreadable(handle.get());
          }
          OwnReplica own = new OwnReplica(s.segment(), false, replicas.length(), reader.end());
          if (MemberRules.PAPER.isEqual(s, own)) {
            floor.keepStamp(handle.get(), epoch, reader.end(), stamp);
            kept.put(s.segment(), stamp);
          } else {
            keep(s.segment(), handle.get(), reader.end());
          }
          return own;
        }
      }
    }
    return new OwnReplica(s.segment(), false, OwnReplica.ABSENT, 0);
  }
}
