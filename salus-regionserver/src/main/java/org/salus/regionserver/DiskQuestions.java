package org.salus.regionserver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.salus.core.Endpoint;
import org.salus.core.log.VolumePath;
import org.salus.core.message.Message;
import org.salus.core.message.Message.HoldingsQuery;
import org.salus.host.DaemonThreads;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * Answers what HDFS and this server's DataNode have of volumes, one question after the other.
 * Thread-safe.
 */
final class DiskQuestions implements Router.Questions, AutoCloseable {

  /** How answers go out. */
  interface Answers {
    void send(Endpoint from, Endpoint to, Message answer);
  }

  private record Asked(Endpoint.Session from, Endpoint.Member about, Message question) {}

  private final RegionStores stores;
  private final String dataNode;
  private final byte[] secret;
  private final Answers answers;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-questions"));

  /** An answer may take long, and who waits asks again. */
  private final Set<Asked> pending = ConcurrentHashMap.newKeySet();

  DiskQuestions(RegionStores stores, String dataNode, byte[] secret, Answers answers) {
    this.stores = stores;
    this.dataNode = dataNode;
    this.secret = secret;
    this.answers = answers;
  }

  @Override
  public void ask(Endpoint.Session from, Endpoint.Member about, Message question) {
    Asked asked = new Asked(from, about, question);
    if (!worker.isShutdown() && pending.add(asked)) {
      worker.execute(
          () -> {
            answers.send(about, from, answer(about, question));
            pending.remove(asked);
          });
    }
  }

  private Message answer(Endpoint.Member about, Message question) {
    return question instanceof HoldingsQuery q
        ? stores.holdings(
            new VolumePath(q.volume(), about.region().volume()), about.region(), dataNode, secret)
        : stores.inventory();
  }

  @Override
  public void close() {
    worker.shutdownNow();
  }
}
