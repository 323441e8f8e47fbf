package org.salus.regionserver;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
  /** Most questions that are not answered yet, from all hosts. */
  static final int MOST = 1024;

  /**
   * Most of them from one host. A repair asks a few at a time, and whoever asks more takes nothing
   * from others: anybody may ask.
   */
  static final int MOST_OF_HOST = 64;

  private record Asked(Endpoint.Session from, Endpoint.Member about, Message question) {}

  private final BiFunction<Endpoint.Member, Message, Message> disk;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-questions"));

  /**
   * Questions that are not answered yet. An answer may take long, and the session repeats its
   * question meanwhile.
   */
  private final Set<Asked> pending = new HashSet<>();

  /** The number of them by host. */
  private final Map<InetAddress, Integer> byHost = new HashMap<>();

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
      InetAddress host,
      Endpoint.Session from,
      Endpoint.Member about,
      Message question,
      Consumer<Message> answer) {
    Asked asked = new Asked(from, about, question);
    if (worker.isShutdown() || !begin(host, asked)) {
      return false;
    }
    worker.execute(
        () -> {
          try {
            answer.accept(disk.apply(about, question));
          } finally {
            end(host, asked);
          }
        });
    return true;
  }

  private synchronized boolean begin(InetAddress host, Asked asked) {
    int ofHost = byHost.getOrDefault(host, 0);
    if (pending.size() >= MOST || ofHost >= MOST_OF_HOST || !pending.add(asked)) {
      return false;
    }
    byHost.put(host, ofHost + 1);
    return true;
  }

  private synchronized void end(InetAddress host, Asked asked) {
    pending.remove(asked);
    byHost.computeIfPresent(host, (h, open) -> open > 1 ? open - 1 : null);
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
