package org.salus.regionserver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
  private record Asked(Endpoint.Session from, Endpoint.Member about, Message question) {}

  private final RegionStores stores;
  private final String dataNode;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-questions"));

  /**
   * Questions that are not answered yet. An answer may take long, and the session repeats its
   * question meanwhile.
   */
  private final Set<Asked> pending = ConcurrentHashMap.newKeySet();

  DiskQuestions(RegionStores stores, String dataNode) {
    this.stores = stores;
    this.dataNode = dataNode;
  }

  @Override
  public boolean ask(
      Endpoint.Session from, Endpoint.Member about, Message question, Consumer<Message> answer) {
    Asked asked = new Asked(from, about, question);
    if (worker.isShutdown() || !pending.add(asked)) {
      return false;
    }
    worker.execute(
        () -> {
          try {
            answer.accept(answer(about, question));
          } finally {
            pending.remove(asked);
          }
        });
    return true;
  }

  private Message answer(Endpoint.Member about, Message question) {
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
