package org.salus.benchmarks.micro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointFile;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.CheckpointWithSegments;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.checkpoint.Generation;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogReader;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.MalformedException;

/**
 * Reads blocks from checkpoints in the page cache, 64 MiB altogether. Each checkpoint has its share
 * of every page.
 */
@State(Scope.Thread)
public class CheckpointBenchmark {
  private static final int BLOCKS = 1 << 14;

  @Param("1")
  int blocks;

  @Param({"1", "4"})
  int checkpoints;

  /** Whether blocks are in the checkpoints, or in the segments that were flushed. */
  @Param({"true", "false"})
  boolean compacted;

  private final ByteBuffer into = ByteBuffer.allocate(Samples.BLOCK);
  private final Random random = new Random(1);
  private final ByteBuffer block = Samples.payload(1);
  private final byte[] leaf = new Hashes().leaf(block);
  private final List<CheckpointReader> newestFirst = new ArrayList<>();
  private final PageCache cache = new PageCache();
  private final List<Path> files = new ArrayList<>();
  private final List<FileReplica> replicas = new ArrayList<>();
  private byte[] page;
  private int next;

  @Setup
  public void setUp() throws IOException, UnreadableException {
    for (int i = 0; i < checkpoints; i++) {
      Generation g = new Generation();
      for (int local = i; local < BLOCKS; local += checkpoints) {
        g.put(local, 0, leaf);
      }
      CheckpointReader flushed =
          write(
              sink ->
                  new CheckpointBuilder(TreeShape.FANOUT, Samples.BLOCK, sink)
                      .flush(g.snapshot(), 1, List.of()));
      newestFirst.add(
          !compacted
              ? flushed
              : write(
                  sink ->
                      new CheckpointBuilder(TreeShape.FANOUT, Samples.BLOCK, sink)
                          .compact(List.of(flushed), true)));
    }
    page = newestFirst.get(0).readPage(0).encode();
  }

  private interface Content {
    void writeTo(CheckpointSink sink) throws UnreadableException;
  }

  private CheckpointReader write(Content content) throws IOException, UnreadableException {
    Path file = Files.createTempFile("salus-jmh", ".checkpoint");
    files.add(file);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CheckpointWriter writer = new CheckpointWriter(out::write);
    content.writeTo(writer);
    writer.finish();
    Files.write(file, out.toByteArray());
    FileReplica replica = new FileReplica(file);
    replicas.add(replica);
    LogReader.Source segment = (position, dst) -> dst.put(block.duplicate()).hasArray();
    CheckpointReader reader =
        new CheckpointFile(file.toString(), replica, Files.size(file), Samples.BLOCK, cache);
    return new CheckpointWithSegments(reader, number -> List.of(segment), Samples.BLOCK);
  }

  @TearDown
  public void tearDown() throws IOException {
    for (FileReplica r : replicas) {
      r.close();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }

  @Benchmark
  public boolean sequential() throws UnreadableException {
    next = (next + 1) % BLOCKS;
    return CheckpointLookup.block(next, newestFirst, into.clear());
  }

  @Benchmark
  public boolean random() throws UnreadableException {
    return CheckpointLookup.block(random.nextInt(BLOCKS), newestFirst, into.clear());
  }

  @Benchmark
  public PageEntry decodePage() throws MalformedException {
    return PageEntry.decode(0, ByteBuffer.wrap(page));
  }
}
