package org.salus.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.salus.client.cluster.Nodes;
import org.salus.client.cluster.WaitReason;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.message.Message;
import org.salus.core.message.Message.HoldingsQuery;
import org.salus.core.message.Message.HoldingsReply;
import org.salus.core.message.Message.InventoryQuery;
import org.salus.core.message.Message.InventoryReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks servers what HDFS and their DataNodes have of volumes. Thread-safe. */
final class DiskSurvey implements VolumeRepair.Disks {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSurvey.class);
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final Nodes nodes;

  DiskSurvey(Nodes nodes) {
    this.nodes = nodes;
  }

  @Override
  public List<String> inventory(List<String> servers, Duration patience) {
    List<String> problems = new ArrayList<>();
    Map<String, Message> answers =
        ask(servers, new RegionId(0, 0), new InventoryQuery(), 1, patience);
    for (Message m : answers.values()) {
      if (m instanceof InventoryReply r && r.problem().isEmpty()) {
        return r.paths();
      } else if (m instanceof InventoryReply r) {
        problems.add(r.problem());
      }
    }
    throw new SalusException.Unavailable(
        "no server can tell which volumes HDFS has: "
            + (problems.isEmpty() ? "none of " + servers + " answers" : problems.get(0)),
        null);
  }

  @Override
  public Map<String, HoldingsReply> holdings(
      List<String> servers, String volume, RegionId region, Duration patience) {
    Map<String, HoldingsReply> holdings = new TreeMap<>();
    ask(servers, region, new HoldingsQuery(volume), servers.size(), patience)
        .forEach(
            (node, m) -> {
              if (m instanceof HoldingsReply r) {
                holdings.put(node, r);
              }
            });
    return holdings;
  }

  /** Asks until {@code enough} servers have answered or {@code patience} is over. */
  private Map<String, Message> ask(
      List<String> servers, RegionId about, Message question, int enough, Duration patience) {
    Map<String, Message> answers = new ConcurrentHashMap<>();
    CountDownLatch open = new CountDownLatch(enough);
    // Mount epochs are positive, so a negative one names no session.
    Endpoint self =
        new Endpoint.Session(
            about.volume(), -1 - ThreadLocalRandom.current().nextLong(Long.MAX_VALUE));
    nodes.register(
        self,
        (node, from, message, payload) -> {
          if (answers.put(node, message) == null) {
            open.countDown();
          }
        });
    try {
      long begin = System.nanoTime();
      WaitReason reason = new WaitReason();
      do {
        if (reason.isDue(begin, System.nanoTime())) {
          LOG.warn(
              "waiting for {} to read what their DataNodes have",
              servers.stream().filter(n -> !answers.containsKey(n)).toList());
        }
        servers.stream()
            .filter(node -> !answers.containsKey(node))
            .forEach(node -> nodes.send(node, self, new Endpoint.Member(about, 0), question, null));
      } while (!open.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS)
          && System.nanoTime() - begin < patience.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      nodes.unregister(self);
    }
    return answers;
  }
}
