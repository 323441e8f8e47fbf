package org.salus.regionserver;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect.ServeGet;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.message.Message.GetReply;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.meter.VolumeMeter;

/** Reads the blocks that GETs ask of one member, and answers. Thread-safe. */
final class MemberReads {
  /** Most GETs that are not answered yet, over ten times what a busy session has. */
  static final int MOST = 16_384;

  private final Endpoint.Member self;
  private final int blockSize;
  private final RegionStore store;
  private final MemberTasks tasks;
  private final Executor readers;
  private final MemberHost.Surroundings surroundings;
  private final VolumeMeter meter;

  /** The number of GETs that are not answered yet. Each answer carries it. */
  private final AtomicInteger reading = new AtomicInteger();

  /** What reader threads have got and not answered. */
  private final Set<Batch> batches = ConcurrentHashMap.newKeySet();

  /** GETs that one reader thread answers, one after the other. */
  private final class Batch {
    final List<ServeGet> gets;
    final long began = System.nanoTime();

    /** The number of those that are answered. Only the reader thread sets it. */
    volatile int answered;

    Batch(List<ServeGet> gets) {
      this.gets = gets;
    }

    void serve() {
      try {
        for (int i = 0; i < gets.size(); i++) {
          MemberReads.this.serve(gets.get(i), began);
          answered = i + 1;
        }
      } finally {
        batches.remove(this);
      }
    }
  }

  MemberReads(
      Endpoint.Member self,
      int blockSize,
      RegionStore store,
      MemberTasks tasks,
      Executor readers,
      MemberHost.Surroundings surroundings,
      VolumeMeter meter) {
    this.self = self;
    this.blockSize = blockSize;
    this.store = store;
    this.tasks = tasks;
    this.readers = readers;
    this.surroundings = surroundings;
    this.meter = meter;
  }

  /**
   * Counts a GET that has come; one of the other methods answers it. Returns false if there are too
   * many: the session then asks another member.
   */
  boolean mayAsk() {
    boolean may = reading.get() < MOST;
    if (may) {
      reading.incrementAndGet();
    }
    return may;
  }

  /** Answers without waiting; returns false if that is not possible. */
  boolean serveAtOnce(ServeGet g) {
    long began = System.nanoTime();
    ReadAssembly read = new ReadAssembly(g, blockSize);
    boolean ok = store.readAtOnce(g, read);
    if (ok) {
      answer(g, read, true, began);
    }
    return ok;
  }

  /** Answers these GETs in their order, on another thread. */
  void serveLater(List<ServeGet> some) {
    Batch batch = new Batch(some);
    batches.add(batch);
    tasks.onPool(readers, batch::serve);
  }

  /** Names the GETs that wait for a reader thread or for a disk. */
  void underWay(Consumer<ServeGet> to) {
    batches.forEach(b -> b.gets.subList(b.answered, b.gets.size()).forEach(to));
  }

  private void serve(ServeGet g, long began) {
    ReadAssembly read = new ReadAssembly(g, blockSize);
    answer(g, read, store.read(g, read), began);
  }

  private void answer(ServeGet g, ReadAssembly read, boolean ok, long began) {
    GetReply reply =
        new GetReply(g.id(), g.lane(), read.zeroBits(), reading.decrementAndGet(), !ok);
    ByteBuffer data = ok ? read.data() : null;
    meter.read(began, data);
    surroundings.send(self, g.to(), reply, data);
  }
}
