package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointFile;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointWithSegments;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.checkpoint.ReplicatedReader;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.tree.TreeShape;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A region's checkpoints as a member sees them (§4.2.3). It writes its own replicas, and reads
 * others where its own is missing or damaged. Thread-safe.
 */
final class CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);

  private record Replica(long checkpoint, String dataNode) {}

  /**
   * An open replica.
   *
   * @param reader reads, and may wait
   * @param atOnce reads, but fails where it would have to wait
   * @param replica the file, which closes the readers too
   */
  private record OpenFile(CheckpointReader reader, CheckpointReader atOnce, ReplicaReader replica)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      replica.close();
    }
  }

  /** A checkpoint's handle, and the DataNodes with its replicas, the own one first. */
  private record Place(BlockHandle handle, List<String> dataNodes) {}

  private final RegionFiles files;
  private final PageCache cache;
  private final Damage damage;

  /** Reads the own replicas of segments. */
  private final ReadAssembly.Segments log;

  /** Reads like {@link #log}, but fails where it would have to wait. */
  private final ReadAssembly.Segments logAtOnce;

  private final OpenFiles<Replica, OpenFile> open = new OpenFiles<>();

  /** The segments that hold blocks of open checkpoints. */
  private final OpenFiles<Long, AllReplicas> segments = new OpenFiles<>();

  /** Known places by checkpoint. An entry is dropped when a read of one of its replicas fails. */
  private final Map<Long, Place> places = new ConcurrentHashMap<>();

  CheckpointStore(
      RegionFiles files,
      PageCache cache,
      ReadAssembly.Segments log,
      ReadAssembly.Segments logAtOnce,
      Damage damage) {
    this.files = files;
    this.log = log;
    this.logAtOnce = logAtOnce;
    this.damage = damage;
    this.cache = cache;
  }

  private interface Work {
    CheckpointBuilder.Roots run(CheckpointBuilder builder) throws UnreadableException;
  }

  RegionStore.Built flush(MemberEffect.Flush f, BooleanSupplier over)
      throws IOException, UnreadableException {
    return build(
        f.checkpoint(),
        over,
        builder -> builder.flush(f.content(), f.segment(), anyReplicas(f.older())));
  }

  RegionStore.Built compact(MemberEffect.Compact c, BooleanSupplier over)
      throws IOException, UnreadableException {
    return build(
        c.checkpoint(), over, builder -> builder.compact(anyReplicas(c.inputs()), c.oldest()));
  }

  private RegionStore.Built build(long id, BooleanSupplier over, Work work)
      throws IOException, UnreadableException {
    BlockHandle handle = files.awaitHandle(Kind.CHECKPOINT, id, over);
    try (ReplicaWriter writer = files.writer(handle)) {
      ReplicaOutput out = new ReplicaOutput(writer);
      int width = new TreeShape(files.spec().regionBlocks()).width(0);
      CheckpointWriter file = new CheckpointWriter(out);
      CheckpointBuilder.Roots roots =
          work.run(new CheckpointBuilder(width, files.spec().blockSize(), file));
      file.finish();
      return new RegionStore.Built(out.finish(), out.crc(), roots);
    }
  }

  /** Returns readers that turn to other replicas where the own one is missing or damaged. */
  List<CheckpointReader> anyReplicas(List<Long> ids) {
    List<CheckpointReader> readers = new ArrayList<>();
    ids.forEach(
        id ->
            readers.add(
                new CheckpointWithSegments(
                    new AnyReplica(id),
                    segment -> segment(segment).sources(),
                    files.spec().blockSize())));
    return readers;
  }

  /**
   * Returns readers of the own replicas that fail where they would have to wait, or null when one
   * replica is not open.
   */
  List<CheckpointReader> atOnce(List<Long> ids) {
    List<CheckpointReader> readers = new ArrayList<>();
    for (long id : ids) {
      OpenFile own = open.get(new Replica(id, files.own()));
      if (own == null) {
        return null;
      }
      readers.add(own.atOnce);
    }
    return readers;
  }

  private CheckpointReader reader(Replica r) throws UnreadableException {
    return requireOpen(open.get(r, () -> openFile(r))).reader;
  }

  private static <T> T requireOpen(T file) throws UnreadableException {
    if (file == null) {
      throw new UnreadableException("the epoch is over");
    }
    return file;
  }

  private OpenFile openFile(Replica r) throws UnreadableException {
    ReplicaReader replica = replica(r);
    String name =
        files.spec().id() + "-" + files.region().index() + "-" + r.checkpoint + "-" + r.dataNode;
    try {
      CheckpointFile file =
          new CheckpointFile(
              name,
              SegmentReplicas.only(replica),
              replica.length(),
              files.spec().blockSize(),
              cache);
      CheckpointReader atOnce =
          new CheckpointWithSegments(
              file.readFrom((position, into) -> replica.readAtOnce(into, position)),
              segment -> List.of((position, into) -> logAtOnce.read(segment, position, into)),
              files.spec().blockSize());
      return new OpenFile(file, atOnce, replica);
    } catch (IOException | UnreadableException damaged) {
      OpenFiles.close(replica);
      throw new UnreadableException(name + " cannot be opened: " + damaged.getMessage(), damaged);
    }
  }

  private AllReplicas segment(long segment) throws UnreadableException {
    try {
      return requireOpen(segments.get(segment, () -> new AllReplicas(files, segment, log, damage)));
    } catch (IOException e) {
      throw new UnreadableException(
          "segment " + segment + " of " + files.region() + " cannot be found: " + e.getMessage(),
          e);
    }
  }

  private ReplicaReader replica(Replica r) throws UnreadableException {
    try {
      BlockHandle handle = place(r.checkpoint).handle;
      return r.dataNode.equals(files.own())
          ? files
              .openOwn(handle)
              .orElseThrow(() -> new UnreadableException("the DataNode has no replica"))
          : files.openOther(handle, r.dataNode);
    } catch (IOException e) {
      throw new UnreadableException(
          "checkpoint "
              + r.checkpoint
              + " of "
              + files.region()
              + " cannot be opened: "
              + e.getMessage(),
          e);
    }
  }

  /** Closes the checkpoints and segments that are not live any more. */
  void retain(LongPredicate live, LongPredicate liveSegment) {
    segments.closeAll(s -> !liveSegment.test(s));
    open.closeAll(r -> !live.test(r.checkpoint));
    places.keySet().removeIf(id -> !live.test(id));
  }

  /** Ends reads and builds that are under way. */
  void close() {
    open.end();
    segments.end();
  }

  /** Closes a segment whose replicas have changed. */
  void forgetSegment(long segment) {
    segments.close(segment);
  }

  /** Closes a checkpoint whose replicas have changed. */
  void forget(long id) {
    open.closeAll(r -> r.checkpoint == id);
    places.remove(id);
  }

  private Place place(long id) throws UnreadableException {
    Place known = places.get(id);
    if (known != null) {
      return known;
    }
    try {
      BlockHandle handle = files.handle(Kind.CHECKPOINT, id);
      List<String> all = new ArrayList<>(files.othersOf(handle));
      if (handle.indexOf(files.own()) >= 0) {
        all.add(0, files.own());
      }
      Place found = new Place(handle, all);
      places.put(id, found);
      return found;
    } catch (IOException e) {
      throw new UnreadableException(
          "checkpoint " + id + " of " + files.region() + " cannot be found: " + e.getMessage(), e);
    }
  }

  /** Asks one replica after the other, the own one first. */
  private final class AnyReplica extends ReplicatedReader {
    private final long id;

    AnyReplica(long id) {
      this.id = id;
    }

    @Override
    protected <T> T ask(Question<T> question) throws UnreadableException {
      UnreadableException last = null;
      for (String dataNode : place(id).dataNodes) {
        Replica r = new Replica(id, dataNode);
        try {
          return question.ask(reader(r));
        } catch (UnreadableException lost) {
          if (open.hasEnded()) {
            throw lost; // the file was closed during the read; it is not damaged
          }
          LOG.error(
              "{}: the replica of checkpoint {} on {} cannot be read: {}",
              files.region(),
              id,
              dataNode,
              lost.getMessage());
          places.remove(id);
          if (dataNode.equals(files.own())) {
            damage.noticed(Kind.CHECKPOINT, id);
          } else {
            open.close(r);
          }
          last = lost;
        }
      }
      throw last != null
          ? last
          : new UnreadableException(
              "checkpoint " + id + " of " + files.region() + " has no replica");
    }
  }
}
