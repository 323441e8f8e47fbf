package org.salus.regionserver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;
import org.salus.core.message.Message.HoldingsQuery;
import org.salus.core.path.VolumePath;
import org.salus.host.DaemonThreads;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * Answers which volume files HDFS and this server's DataNode have. One thread answers one question
 * after the other. Thread-safe.
 */
final class DiskQuestions implements Inbox.Questions, AutoCloseable {
  /**
   * Most questions that are not answered yet, from all connections. Each has a limit of its own.
   */
  static final int MOST = 1024;

  private record Asked(Endpoint.Session from, Endpoint.Member about, Message question) {}

  private final BiFunction<Endpoint.Member, Message, Message> disk;
  private final Semaphore room = new Semaphore(MOST);
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-questions"));

  /**
   * Questions that are not answered yet. An answer may take long, and the session repeats its
   * question meanwhile.
   */
  private final Set<Asked> pending = ConcurrentHashMap.newKeySet();

  DiskQuestions(RegionStores stores, String dataNode) {
    this((about, question) -> answer(stores, dataNode, about, question));
  }

  /**
   * @param disk answers a question about a region, and may take long
   */
  DiskQuestions(BiFunction<Endpoint.Member, Message, Message> disk) {
    this.disk = disk;
  }

  @Override
  public boolean ask(
      Endpoint.Session from, Endpoint.Member about, Message question, Consumer<Message> answer) {
    Asked asked = new Asked(from, about, question);
    if (worker.isShutdown() || !begin(asked)) {
      return false;
    }
    worker.execute(
        () -> {
          try {
            answer.accept(disk.apply(about, question));
          } finally {
            pending.remove(asked);
            room.release();
          }
        });
    return true;
  }

  private boolean begin(Asked asked) {
    if (!room.tryAcquire()) {
      return false;
    }
    boolean isNew = pending.add(asked);
    if (!isNew) {
      room.release();
    }
    return isNew;
  }

  private static Message answer(
      RegionStores stores, String dataNode, Endpoint.Member about, Message question) {
    return question instanceof HoldingsQuery q
        ? stores.holdings(
            new VolumePath(q.volume(), about.region().volume()), about.region(), dataNode)
        : stores.inventory();
  }

  @Override
  public void close() {
    worker.shutdownNow();
  }
}
