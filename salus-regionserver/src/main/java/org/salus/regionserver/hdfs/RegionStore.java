package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.salus.core.Signer;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.path.SpecName;
import org.salus.core.recovery.Goal;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.core.tree.TreeShape;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaRecovery;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.VolumeFileException;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member's replicas on its own DataNode, and at M0 the region's files at the NameNode (§4.2).
 * Methods block on I/O unless they say otherwise. One thread calls the methods that take an effect
 * of the log; any thread may read.
 */
public final class RegionStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RegionStore.class);

  private static final long FIRST_SEGMENT = 1;

  /**
   * The time to wait at close for the last acknowledgements. A disk that takes longer counts as
   * broken.
   */
  private static final long LAST_ACKS_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final RegionFiles files;
  private final Signer signer;
  private final RegionLog log;
  private final CheckpointStore checkpoints;
  private final OpenSegments readers;

  private volatile ReplicaWriter writer;

  /** The segment whose replica is open for appends, or 0 when none is. */
  private volatile long writing;

  /** The number of bytes given to the writer. Only the appending thread uses it. */
  private long written;

  private RegionStore(
      RegionFiles files,
      Signer signer,
      RegionLog log,
      OpenSegments readers,
      CheckpointStore checkpoints) {
    this.files = files;
    this.signer = signer;
    this.log = log;
    this.readers = readers;
    this.checkpoints = checkpoints;
  }

  /**
   * @param pages the server's cache of pages
   * @param damage is told of damaged replicas on the own DataNode
   */
  static RegionStore of(RegionFiles files, PageCache pages, Signer signer, Damage damage) {
    OpenFiles<Long, SegmentReplicas> open = new OpenFiles<>();
    Damage whileOpen =
        (kind, number) -> {
          if (!open.hasEnded()) { // otherwise the file was closed during the read
            damage.noticed(kind, number);
          }
        };
    OpenSegments readers = new OpenSegments(files, open, whileOpen);
    return new RegionStore(
        files,
        signer,
        new RegionLog(files, readers, signer, whileOpen),
        readers,
        new CheckpointStore(files, pages, readers::read, readers::readAtOnce, whileOpen));
  }

  /**
   * Whether the own replica of a segment is open for {@link #append}. Does not block; any thread
   * may ask.
   */
  public boolean isWriting(long segment) {
    return writing == segment;
  }

  /**
   * Finishes the replica of the segment before and opens the own replica of this one, unless it is
   * open.
   *
   * @param failed gets, once and on the loop, the failure after which appends are impossible
   */
  public void open(long segment, Consumer<ReplicaFailure> failed) throws IOException {
    if (writing != segment) {
      finish();
      BlockHandle handle = files.handle(Kind.LOG, segment);
      writer = files.writer(handle);
      writer.whenFailed(failed);
      written = 0;
      writing = segment;
    }
  }

  /**
   * Appends to the open replica without waiting. Calls come in the order of the bytes.
   *
   * @param durable gets, on the loop, the length that the DataNode has acknowledged
   * @param failed gets, once and on the loop, the failure
   */
  public void append(MemberEffect.Append a, LongConsumer durable, Consumer<ReplicaFailure> failed) {
    if (a.at().offset() != written) {
      failed.accept(
          new ReplicaFailure(
              ReplicaFailure.Kind.REFUSED,
              "it has " + written + " bytes, and not all before " + a.at()));
      return;
    }
    written += a.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
    writer.append(
        a.bytes(),
        a.sync(),
        new AckListener() {
          @Override
          public void acked(long length) {
            durable.accept(length);
          }

          @Override
          public void failed(ReplicaFailure failure) {
            failed.accept(failure);
          }
        });
  }

  private void finish() throws IOException {
    if (writer == null) {
      return;
    }
    try {
      writer.finish(true).get();
    } catch (ExecutionException e) {
      throw new IOException(
          "cannot finish the replica of " + files.path(Kind.LOG, writing), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while finishing " + files.path(Kind.LOG, writing), e);
    }
    writer = null;
  }

  /**
   * Creates the file of a segment. Called at M0. Before the first segment it creates the directory
   * whose name holds the volume's shape, so that the volume's records can be rebuilt.
   */
  public void create(MemberEffect.CreateSegment c) throws IOException {
    if (c.segment() == FIRST_SEGMENT) {
      files.files().createDirectory(SpecName.path(files.spec(), signer), c.permission());
    }
    files.create(Kind.LOG, c.segment(), files.spec().segmentBytes(), c.permission());
  }

  /** Creates the file of a checkpoint. Called at M0. */
  public void create(MemberEffect.CreateCheckpoint c) throws IOException {
    files.create(Kind.CHECKPOINT, c.checkpoint(), c.bytes(), c.permission());
  }

  /**
   * Closes the files that are not live any more. At M0 it also completes finished files and deletes
   * those that the manifest discards.
   */
  public void tidy(MemberEffect.Tidy t) throws IOException {
    ManifestBody m = t.manifest();
    if (t.primary()) {
      byte[] permission = t.permission();
      List<VolumeFiles.FileEntry> all = files.files().list(files.directory());
      Map<Long, VolumeFiles.FileEntry> segments = RegionFiles.numbered(Kind.LOG, all);
      for (SegmentEnd s : m.segments()) {
        complete(Kind.LOG, s.segment(), segments.remove(s.segment()), s.length(), permission);
      }
      Map<Long, VolumeFiles.FileEntry> built = RegionFiles.numbered(Kind.CHECKPOINT, all);
      for (Checkpoint c : m.checkpoints().live()) {
        complete(Kind.CHECKPOINT, c.id(), built.remove(c.id()), c.length(), permission);
      }
      delete(Kind.LOG, segments.keySet(), segment -> m.discards(segment, t.segment()), permission);
      delete(Kind.CHECKPOINT, built.keySet(), m::discardsCheckpoint, permission);
    }
    readers.closeAll(segment -> m.discards(segment, t.segment()));
    checkpoints.retain(
        id -> !m.discardsCheckpoint(id), segment -> !m.discards(segment, t.segment()));
  }

  /**
   * Completes a file at the NameNode if it is still open.
   *
   * @param listed the file's entry, or null when it was not listed
   */
  private void complete(
      Kind kind, long number, VolumeFiles.FileEntry listed, long length, byte[] permission)
      throws IOException {
    if (listed == null || listed.underConstruction()) {
      BlockHandle h = files.handle(kind, number);
      if (h.open()) {
        files.files().complete(files.path(kind, number), h, length, permission);
      }
    }
  }

  private void delete(Kind kind, Set<Long> numbers, LongPredicate which, byte[] permission)
      throws IOException {
    for (long number : numbers) {
      if (which.test(number)) {
        files.files().delete(files.path(kind, number), permission);
      }
    }
  }

  /**
   * A checkpoint that this member has built.
   *
   * @param length the file's length in bytes
   * @param crc CRC32C of the file
   * @param roots the roots of its pages
   */
  public record Built(long length, int crc, CheckpointBuilder.Roots roots) {}

  /**
   * Writes the own replica of a checkpoint of one segment. The call takes long; any thread may make
   * it.
   *
   * @param over whether the epoch has ended, so that nobody will create the checkpoint's file
   * @throws NotCreatedException when the file does not exist yet; call again later
   * @throws UnreadableException when no replica of an input can be read
   */
  public Built flush(MemberEffect.Flush f, BooleanSupplier over)
      throws IOException, UnreadableException {
    return checkpoints.flush(f, over);
  }

  /** Writes the own replica of a checkpoint that merges older ones; see {@link #flush}. */
  public Built compact(MemberEffect.Compact c, BooleanSupplier over)
      throws IOException, UnreadableException {
    return checkpoints.compact(c, over);
  }

  /**
   * Returns the leaf hashes of a page.
   *
   * @param page the number of the lowest page
   * @param newestFirst the checkpoints that count, newest first
   */
  public byte[] leaves(long page, List<Long> newestFirst) throws UnreadableException {
    int width = new TreeShape(files.spec().regionBlocks()).width(0);
    return CheckpointLookup.page(page, checkpoints.anyReplicas(newestFirst)).children(width);
  }

  /** Hands over the root of every page in these checkpoints, oldest checkpoint first. */
  public void roots(List<Long> oldestFirst, CheckpointReader.RootSink to)
      throws UnreadableException {
    for (CheckpointReader c : checkpoints.anyReplicas(oldestFirst)) {
      c.roots(to);
    }
  }

  /** Reads the blocks that a GET asks for. Returns false when they cannot be read. */
  public boolean read(MemberEffect.ServeGet g, ReadAssembly into) {
    return into.run(this::read, checkpoints.anyReplicas(g.checkpoints()));
  }

  /**
   * Fills {@code dst} with bytes of a segment. Returns false when its replicas are too short or
   * cannot be read.
   */
  boolean read(long segment, long position, ByteBuffer dst) {
    return readers.read(segment, position, dst);
  }

  /**
   * Reads like {@link #read}, but also returns false where it would have to wait for a disk, a
   * DataNode or the NameNode.
   */
  public boolean readAtOnce(MemberEffect.ServeGet g, ReadAssembly into) {
    return into.run(readers::readAtOnce, checkpoints.atOnce(g.checkpoints()));
  }

  /**
   * Has the NameNode know the region's new epoch, so that it refuses all changes by older ones.
   *
   * @return the log before the epoch that served last, as the NameNode knows it
   * @throws VolumeFileException of kind {@code REFUSED} when it is none of the region's, or over
   */
  public LogBefore openEpoch(EpochLink link) throws IOException {
    return files.files().openEpoch(files.directory(), link).before();
  }

  /**
   * Has the NameNode count the replicas that the recovery has made equal, and no others, and know
   * that the newest epoch serves.
   *
   * @param proof that all members have the epoch's first manifest
   * @throws VolumeFileException of kind {@code REFUSED} when the epoch is over, or replicas are not
   *     equal any more
   */
  public void epochServes(WrittenManifest proof) throws IOException {
    Map<Long, Long> stamps = log.kept();
    if (!stamps.isEmpty()) {
      count(stamps, proof);
    }
    files.files().epochServes(files.directory(), proof);
  }

  private void count(Map<Long, Long> stamps, WrittenManifest proof) throws IOException {
    ReplicaRecovery recovery = new ReplicaRecovery(files.files(), files.conf(), files.loop());
    byte[] certificate = proof.encode();
    for (SegmentEnd s : ManifestBody.shown(proof.manifest()).segments()) {
      if (stamps.containsKey(s.segment())) {
        recovery.count(
            files.path(Kind.LOG, s.segment()),
            stamps.get(s.segment()),
            files.dataNodes(),
            certificate);
      }
    }
  }

  /**
   * Reads the log from the own replicas (§4.4, phase 2). From then on the own DataNode lets nobody
   * cut what was found valid.
   *
   * @param known the part of the log that need not be read again
   * @param link the member's epoch
   * @param before what {@link #openEpoch} has returned
   * @throws IOException when the log has not reached it, or a file cannot be read now
   */
  public LogScan.Found scan(KnownLog known, EpochLink link, LogBefore before) throws IOException {
    return log.scan(known, link, before);
  }

  /**
   * Hands over the records of all segments in order, for a server that is to join. Of the open
   * segment it hands over the records certified so far. It changes no file.
   *
   * @param over whether the rest is no longer needed
   */
  public void readAhead(Consumer<LogRecord> each, BooleanSupplier over) throws IOException {
    log.readAhead(each, over);
  }

  /**
   * The outcome of a recovery. All is done if nothing is refuted and nobody is behind.
   *
   * @param refuted the first segment whose replicas are all shorter than its holder has said, or
   *     null
   * @param behind the places of members whose DataNodes have not let their replicas be made equal
   */
  public record Recovery(MemberEffect.ToEqualize refuted, List<Integer> behind) {}

  /**
   * Equalizes the replicas of each named segment (§4.4, phase 2). Other segments stay until the
   * epoch serves. Called at M0.
   */
  public Recovery recover(MemberEffect.RecoverSegments r) throws IOException {
    ReplicaRecovery recovery = new ReplicaRecovery(files.files(), files.conf(), files.loop());
    Map<Long, VolumeFiles.FileEntry> listed = files.segments();
    for (MemberEffect.ToEqualize l : r.segments()) {
      SegmentEnd s = l.end();
      VolumeFiles.FileEntry file = listed.get(s.segment());
      if (file != null && !file.underConstruction() && file.length() == s.length()) {
        continue;
      }
      try {
        Set<String> behind =
            recovery.equalize(
                files.path(Kind.LOG, s.segment()),
                r.permission(),
                Goal.of(r, l, files.dataNodes()),
                replica -> log.isValid(s, l.common(), replica));
        if (!behind.isEmpty()) {
          LOG.warn("{} does not let replicas be made equal: segment {}", behind, s.segment());
          return new Recovery(null, behind.stream().map(files.dataNodes()::indexOf).toList());
        }
      } catch (VolumeFileException e) {
        if (e.kind() == VolumeFileException.Kind.LENGTH
            || e.kind() == VolumeFileException.Kind.NOT_FOUND) {
          LOG.error(
              "{} has said that segment {} is valid up to byte {}: {}",
              files.dataNodes().get(l.holder()),
              s.segment(),
              s.length(),
              e.getMessage());
          return new Recovery(l, List.of());
        }
        throw e;
      }
    }
    readers.closeAll(moved -> true); // replicas may also have been cut
    return new Recovery(null, List.of());
  }

  /**
   * Hands over the records of the named segments in order.
   *
   * @param each takes the records
   * @throws ShortSegmentException when no replica of a segment is as long as named
   */
  public void replay(MemberEffect.ReplayLog r, Consumer<LogRecord> each) throws IOException {
    log.replay(r, each);
  }

  /**
   * Looks at the own replica of each agreed segment.
   *
   * @param own is told what it found
   * @throws IOException when the NameNode or the own DataNode does not answer
   */
  public void lookAtOwn(MemberEffect.ReplayLog r, Consumer<OwnReplica> own) throws IOException {
    log.lookAtOwn(r.agreed(), own);
  }

  /** Says that the own replica of a file was replaced. Later reads use the new one. */
  public void replaced(Kind kind, long number) {
    if (kind == Kind.CHECKPOINT) {
      checkpoints.forget(number);
    } else {
      checkpoints.forgetSegment(number);
      readers.close(number);
    }
  }

  @Override
  public void close() throws IOException {
    readers.end();
    checkpoints.close();
    if (writer != null) {
      writer.awaitAcks(LAST_ACKS_NANOS);
      writer.close();
    }
  }
}
