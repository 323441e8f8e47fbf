package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.Effect;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.LogReader;
import org.salus.core.tree.TreeShape;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.BlockHandle;
import org.salus.datanode.hdfs.ReplicaWriter;
import org.salus.regionserver.hbase.HFileFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One member's replicas of its region's checkpoints. Safe for use by many threads. */
final class CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);

  private record Replica(long checkpoint, int lane) {}

  private final RegionFiles files;
  private final HFileFormat format;
  private final Map<Replica, CheckpointReader> open = new ConcurrentHashMap<>();

  CheckpointStore(RegionFiles files, HFileFormat format) {
    this.files = files;
    this.format = format;
  }

  private interface Work {
    CheckpointBuilder.Roots run(CheckpointBuilder builder) throws UnreadableException;
  }

  RegionStore.Built flush(Effect.Flush f, LogReader.Source segment) throws IOException, UnreadableException {
    return build(f.checkpoint(), builder -> builder.flush(f.content(), segment, anyReplicas(f.older())));
  }

  RegionStore.Built compact(Effect.Compact c) throws IOException, UnreadableException {
    return build(c.checkpoint(), builder -> builder.compact(anyReplicas(c.inputs()), c.oldest()));
  }

  private RegionStore.Built build(long id, Work work) throws IOException, UnreadableException {
    BlockHandle handle = files.awaitHandle(Kind.CHECKPOINT, id);
    CheckpointBuilder.Roots[] roots = new CheckpointBuilder.Roots[1];
    try (ReplicaWriter writer = ReplicaWriter.create(handle, handle.indexOf(files.own()), files.conf())) {
      ReplicaOutput out = new ReplicaOutput(writer);
      int width = new TreeShape(files.spec().regionBlocks()).width(0);
      format.write(out, sink -> roots[0] = work.run(new CheckpointBuilder(width, files.spec().blockSize(), sink)));
      return new RegionStore.Built(out.finish(), out.crc(), roots[0]);
    }
  }

  /** Own replicas, in the order given. */
  List<CheckpointReader> ownReplicas(List<Long> ids) throws UnreadableException {
    List<CheckpointReader> readers = new ArrayList<>();
    for (long id : ids) {
      readers.add(reader(new Replica(id, files.lane())));
    }
    return readers;
  }

  /** Readers that turn to the other members' replicas where the own one is damaged. */
  List<CheckpointReader> anyReplicas(List<Long> ids) {
    List<CheckpointReader> readers = new ArrayList<>();
    ids.forEach(id -> readers.add(new AnyReplica(id)));
    return readers;
  }

  private CheckpointReader reader(Replica r) throws UnreadableException {
    CheckpointReader known = open.get(r);
    if (known != null) {
      return known;
    }
    CheckpointReader made = format.open(files.spec().id() + "-" + files.region().index() + "-" + r.checkpoint + "-" + r.lane, replica(r));
    CheckpointReader first = open.putIfAbsent(r, made);
    if (first != null) {
      close(made);
      return first;
    }
    return made;
  }

  private ReplicaReader replica(Replica r) throws UnreadableException {
    try {
      return r.lane == files.lane()
          ? files.openOwn(Kind.CHECKPOINT, r.checkpoint).orElseThrow(() -> new UnreadableException("the DataNode has no replica"))
          : files.openOther(Kind.CHECKPOINT, r.checkpoint, r.lane);
    } catch (IOException e) {
      throw new UnreadableException("checkpoint " + r.checkpoint + " of " + files.region() + " cannot be opened: " + e.getMessage(), e);
    }
  }

  /** Closes those that are not live any more. */
  void retain(LongPredicate live) {
    for (Replica r : List.copyOf(open.keySet())) {
      if (!live.test(r.checkpoint)) {
        close(open.remove(r));
      }
    }
  }

  private static void close(CheckpointReader reader) {
    if (reader instanceof AutoCloseable c) {
      try {
        c.close();
      } catch (Exception failed) {
        LOG.info("closing a checkpoint: {}", failed.toString());
      }
    }
  }

  /** Asks the own replica, and where that is damaged the others. */
  private final class AnyReplica implements CheckpointReader {
    private final long id;

    AnyReplica(long id) {
      this.id = id;
    }

    private interface Question<T> {
      T ask(CheckpointReader reader) throws UnreadableException;
    }

    private <T> T ask(Question<T> question) throws UnreadableException {
      UnreadableException first = null;
      for (int i = 0; i < files.dataNodes().size(); i++) {
        int lane = (files.lane() + i) % files.dataNodes().size();
        try {
          return question.ask(reader(new Replica(id, lane)));
        } catch (UnreadableException damaged) {
          LOG.error("{}: the replica of checkpoint {} on {} is damaged: {}", files.region(), id, files.dataNodes().get(lane), damaged.getMessage());
          first = first == null ? damaged : first;
        }
      }
      throw first;
    }

    @Override
    public PageEntry readPage(long page) throws UnreadableException {
      return ask(reader -> reader.readPage(page));
    }

    @Override
    public void readBlock(long local, ByteBuffer into) throws UnreadableException {
      int start = into.position();
      ask(reader -> {
        into.position(start);
        reader.readBlock(local, into);
        return null;
      });
    }

    @Override
    public Cursor pages() throws UnreadableException {
      return ask(CheckpointReader::pages);
    }

    @Override
    public void roots(RootSink to) throws UnreadableException {
      ask(reader -> {
        reader.roots(to);
        return null;
      });
    }
  }
}
