package org.salus.regionserver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.salus.core.effect.Effect.ServeGet;

/**
 * Hands the GETs of one turn of a loop to the threads that read, several small ones at a time: waking a thread costs more than reading a
 * block from the page cache. For the loop.
 */
final class TurnReads {
  /** What one thread gets: enough to be worth its waking, and few enough for a disk to be asked by many. */
  private static final int BLOCKS = 16;

  private final Executor loop;
  private final Consumer<List<ServeGet>> read;
  private List<ServeGet> gathered = new ArrayList<>();

  /** @param read has GETs answered in their order, elsewhere */
  TurnReads(Executor loop, Consumer<List<ServeGet>> read) {
    this.loop = loop;
    this.read = read;
  }

  void add(ServeGet get) {
    gathered.add(get);
    if (gathered.size() == 1) {
      loop.execute(this::handOver);
    }
  }

  private void handOver() {
    List<ServeGet> all = gathered;
    gathered = new ArrayList<>();
    int from = 0;
    int blocks = 0;
    for (int i = 0; i < all.size(); i++) {
      blocks += all.get(i).count();
      if (blocks >= BLOCKS || i == all.size() - 1) {
        read.accept(all.subList(from, i + 1));
        from = i + 1;
        blocks = 0;
      }
    }
  }
}
