package org.salus.regionserver;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect.ServeGet;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.message.Message.GetReply;
import org.salus.regionserver.hdfs.RegionStore;

/** Reads what one member is asked for by GETs, and answers. Thread-safe, but for {@link #asked}. */
final class MemberReads {
  private final Endpoint.Member self;
  private final int blockSize;
  private final RegionStore store;
  private final MemberTasks tasks;
  private final Executor readers;
  private final MemberHost.Surroundings surroundings;

  /** GETs that are not answered yet: each answer tells how many there are. */
  private final AtomicInteger reading = new AtomicInteger();

  MemberReads(
      Endpoint.Member self,
      int blockSize,
      RegionStore store,
      MemberTasks tasks,
      Executor readers,
      MemberHost.Surroundings surroundings) {
    this.self = self;
    this.blockSize = blockSize;
    this.store = store;
    this.tasks = tasks;
    this.readers = readers;
    this.surroundings = surroundings;
  }

  /** A GET has come: it is answered by one of the others. */
  void asked() {
    reading.incrementAndGet();
  }

  /** Answers without waiting; false where that cannot be. */
  boolean serveAtOnce(ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, blockSize);
    boolean ok = store.readAtOnce(g, read);
    if (ok) {
      answer(g, read, true);
    }
    return ok;
  }

  /** Answers them in their order, on another thread. */
  void serveLater(List<ServeGet> some) {
    tasks.onPool(readers, () -> some.forEach(this::serve));
  }

  private void serve(ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, blockSize);
    answer(g, read, store.read(g, read));
  }

  private void answer(ServeGet g, ReadAssembly read, boolean ok) {
    GetReply reply =
        new GetReply(g.id(), g.lane(), read.zeroBits(), reading.decrementAndGet(), !ok);
    surroundings.send(self, g.to(), reply, ok ? read.data() : null);
  }
}
