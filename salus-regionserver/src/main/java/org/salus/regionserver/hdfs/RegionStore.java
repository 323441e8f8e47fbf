package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SegmentPath;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.BlockHandle;
import org.salus.datanode.hdfs.LocalReplicaReader;
import org.salus.datanode.hdfs.ReplicaRecovery;
import org.salus.datanode.hdfs.ReplicaWriter;
import org.salus.datanode.hdfs.VolumeFiles;

/**
 * One member's replicas of its region's segments, on its own DataNode, and at M0 the region's files at the NameNode.
 * Methods block on I/O. All but {@link #read} are to be called by one thread; reads may come from any.
 */
public final class RegionStore implements AutoCloseable {
  private final VolumeSpec spec;
  private final RegionId region;
  private final List<String> dataNodes;
  private final String own;
  private final VolumeFiles files;
  private final Configuration conf;
  private final Signer signer;
  private final Map<Long, ReplicaReader> readers = new ConcurrentHashMap<>();
  private ReplicaWriter writer;
  private long writing;

  /**
   * @param dataNodes "ip:port" of each member's DataNode in chain order
   * @param lane this member
   */
  public RegionStore(VolumeSpec spec, RegionId region, List<String> dataNodes, int lane, VolumeFiles files, Configuration conf, Signer signer) {
    this.spec = spec;
    this.region = region;
    this.dataNodes = List.copyOf(dataNodes);
    this.own = dataNodes.get(lane);
    this.files = files;
    this.conf = conf;
    this.signer = signer;
  }

  private String path(long segment) {
    return SegmentPath.of(spec, region.index(), segment);
  }

  /**
   * Appends to the own replica; opens it first where the segment is new, after finishing the segment before.
   *
   * @param durable gets the length that the DataNode has, on a thread of the writer
   * @param failed gets the failure, once, on such a thread
   */
  public void append(Effect.Append a, LongConsumer durable, Consumer<ReplicaFailure> failed) throws IOException {
    if (writer == null || writing != a.at().segment()) {
      finish();
      BlockHandle handle = handle(a.at().segment());
      writer = ReplicaWriter.create(handle, handle.indexOf(own), conf);
      writing = a.at().segment();
    }
    writer.append(a.bytes().toArray(ByteBuffer[]::new), a.sync(), new AckListener() {
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
      throw new IOException("cannot finish the replica of " + path(writing), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while finishing " + path(writing), e);
    }
    writer = null;
  }

  private BlockHandle handle(long segment) throws IOException {
    return files.locate(path(segment)).orElseThrow(() -> new IOException("there is no file " + path(segment)));
  }

  /** At M0: creates the file of a segment, its block on the members' DataNodes; again after a half-done attempt. */
  public void create(Effect.CreateSegment c) throws IOException {
    if (files.locate(path(c.segment())).isEmpty()) {
      files.createDirectory(SegmentPath.directory(spec, region.index()), c.permission());
      files.createBlock(path(c.segment()), spec.segmentBytes(), dataNodes, c.permission());
    }
  }

  /** At M0: completes files whose replicas are finished. */
  public void complete(Effect.CompleteSegments c) throws IOException {
    for (SegmentEnd s : c.segments()) {
      BlockHandle h = handle(s.segment());
      if (h.open()) {
        files.complete(path(s.segment()), h, s.length(), c.permission());
      }
    }
  }

  /** How far each of the own replicas is valid. */
  public List<SegmentEnd> scan() throws IOException {
    List<SegmentEnd> ends = new ArrayList<>();
    for (VolumeFiles.FileEntry f : files.list(SegmentPath.directory(spec, region.index()))) {
      long segment = SegmentPath.number(f.name());
      if (segment >= 0) {
        ends.add(new SegmentEnd(segment, open(segment).isPresent() ? validLength(segment) : 0));
      }
    }
    forget();
    return ends;
  }

  private long validLength(long segment) {
    LogReader reader = log(segment);
    while (reader.next() != null) {
      continue;
    }
    return reader.end();
  }

  /** The own replica, or nothing where the DataNode says that it has none; it must not be silent. */
  private Optional<ReplicaReader> open(long segment) throws IOException {
    ReplicaReader reader = readers.get(segment);
    if (reader == null) {
      reader = LocalReplicaReader.open(handle(segment), own, files, conf).orElse(null);
      if (reader != null) {
        readers.put(segment, reader);
      }
    }
    return Optional.ofNullable(reader);
  }

  private LogReader log(long segment) {
    return new LogReader((position, dst) -> read(segment, position, dst), region, segment, signer);
  }

  /** At M0: makes the replicas of each segment equal and complete, deletes segments that are not named. */
  public void recover(Effect.RecoverSegments r) throws IOException {
    ReplicaRecovery recovery = new ReplicaRecovery(files, conf);
    List<Long> named = new ArrayList<>();
    for (int i = 0; i < r.segments().size(); i++) {
      SegmentEnd s = r.segments().get(i);
      named.add(s.segment());
      recovery.recover(path(s.segment()), r.permission(), s.length(), dataNodes.get(r.holders().get(i)));
    }
    for (VolumeFiles.FileEntry f : files.list(SegmentPath.directory(spec, region.index()))) {
      long segment = SegmentPath.number(f.name());
      if (segment >= 0 && !named.contains(segment)) {
        files.delete(path(segment), r.permission());
      }
    }
    forget();
  }

  /** Hands over every record of the named segments in order. */
  public void replay(Effect.ReplayLog r, Consumer<LogRecord> each) throws IOException {
    for (SegmentEnd s : r.segments()) {
      LogReader reader = log(s.segment());
      while (reader.end() < s.length()) {
        LogRecord record = reader.next();
        if (record == null) {
          throw new IOException(path(s.segment()) + " is not valid beyond " + reader.end() + " on " + own);
        }
        each.accept(record);
      }
    }
  }

  /** Fills {@code dst} from the own replica; false when it does not reach that far or cannot be read. */
  public boolean read(long segment, long position, ByteBuffer dst) {
    try {
      Optional<ReplicaReader> reader = open(segment);
      if (reader.isEmpty()) {
        return false;
      }
      for (long at = position; dst.hasRemaining();) {
        int n = reader.get().read(dst, at);
        if (n <= 0) {
          return false;
        }
        at += n;
      }
      return true;
    } catch (IOException e) {
      return false; // an expected fault: the session asks another member
    }
  }

  /** Replicas may have been moved or cut: open them anew. */
  private void forget() throws IOException {
    for (Long segment : List.copyOf(readers.keySet())) {
      readers.remove(segment).close();
    }
  }

  @Override
  public void close() throws IOException {
    forget();
    if (writer != null) {
      writer.close();
    }
  }
}
