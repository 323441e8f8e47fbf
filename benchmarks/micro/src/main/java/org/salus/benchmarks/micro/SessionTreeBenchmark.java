package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;
import org.salus.core.session.SessionConfig;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.SessionTree;
import org.salus.core.tree.TreeShape;

/**
 * The session's tree: asking whether the pages of a batch are here, block by block; changing its
 * leaves, and the root after it.
 */
@State(Scope.Thread)
public class SessionTreeBenchmark {
  private static final int BATCHES = 64;

  @Param({"1", "32", "250"})
  int blocks;

  @Param({"sequential", "random"})
  String order;

  private final SubBatch[] batches = new SubBatch[BATCHES];
  private SessionTree tree;
  private int next;

  @Setup
  public void setUp() {
    Hashes hashes = new Hashes();
    TreeShape shape = new TreeShape(Samples.SPEC.regionBlocks());
    tree = new SessionTree(shape, Hashes.zero(), SessionConfig.defaults().pagesPerRegion(), hashes);
    byte[] leaf = hashes.leaf(Samples.payload(1));
    tree.missing(0, Samples.WORKING_SET - 1);
    for (long local = 0; local < Samples.WORKING_SET; local++) {
      tree.update(local, leaf);
    }
    for (int i = 0; i < BATCHES; i++) {
      batches[i] = Samples.subBatch(blocks, order.equals("random"), 1 + i);
    }
  }

  @Benchmark
  public byte[] updateAndRoot() {
    next = (next + 1) % BATCHES;
    for (Put p : batches[next].puts()) {
      tree.update(p.local(), p.leafHash());
    }
    return tree.root();
  }

  @Benchmark
  public void missing(Blackhole found) {
    next = (next + 1) % BATCHES;
    for (Put p : batches[next].puts()) {
      found.consume(tree.missing(p.local(), p.local()));
    }
  }
}
