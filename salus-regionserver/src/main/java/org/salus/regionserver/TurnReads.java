package org.salus.regionserver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.salus.core.effect.MemberEffect.ServeGet;

/**
 * Answers the GETs of one turn of a loop. It answers a GET at once if the GET need not wait and
 * does not hold up the loop's other work. The reader threads answer the rest, several small GETs at
 * a time: waking a thread costs more than a read from the page cache. Only the loop calls it.
 */
final class TurnReads {
  /** The most bytes that one turn reads itself: well under a millisecond's work. */
  private static final int AT_ONCE_BYTES = 128 << 10;

  /**
   * The blocks that one reader thread gets at a time. They are enough to be worth a wake-up, and
   * few enough that several threads ask the disk.
   */
  private static final int BLOCKS = 16;

  private final Executor loop;
  private final int blocksAtOnce;
  private final Predicate<ServeGet> atOnce;
  private final Consumer<List<ServeGet>> read;
  private List<ServeGet> gathered = new ArrayList<>();
  private boolean begun;

  /** The number of blocks that this turn has tried to read itself. */
  private int tried;

  /**
   * @param blockSize bytes of a block
   * @param atOnce answers a GET without waiting, or returns false
   * @param read has GETs answered in their order, on other threads
   */
  TurnReads(
      Executor loop, int blockSize, Predicate<ServeGet> atOnce, Consumer<List<ServeGet>> read) {
    this.loop = loop;
    this.blocksAtOnce = AT_ONCE_BYTES / blockSize;
    this.atOnce = atOnce;
    this.read = read;
  }

  void add(ServeGet get) {
    boolean first = !begun;
    begun = true;
    if (!isAnswered(get)) {
      gathered.add(get);
    }
    if (first) {
      loop.execute(this::endTurn);
    }
  }

  private boolean isAnswered(ServeGet get) {
    if (tried + get.count() > blocksAtOnce) {
      return false;
    }
    tried += get.count();
    return atOnce.test(get);
  }

  private void endTurn() {
    begun = false;
    tried = 0;
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
