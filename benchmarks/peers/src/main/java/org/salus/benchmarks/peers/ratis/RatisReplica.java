package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * A server of a group that is read from, through a client of its own that gives up at once.
 * Thread-safe.
 */
final class RatisReplica {
  /** A server that did not answer is left alone for so long. */
  private static final long DOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RaftPeerId id;
  private final Supplier<RaftClient> connect;
  private final AtomicInteger owed = new AtomicInteger();
  private volatile long upAt = System.nanoTime();
  private RaftClient client;

  /**
   * @param connect makes a client that does not try again
   */
  RatisReplica(int server, Supplier<RaftClient> connect) {
    this.id = RatisGroups.server(server);
    this.connect = connect;
    this.client = connect.get();
  }

  /** Nanoseconds until it may be asked again; 0 is now. */
  long downNanos() {
    return Math.max(0, upAt - System.nanoTime());
  }

  /** How many answers it owes. */
  int owed() {
    return owed.get();
  }

  CompletableFuture<RaftClientReply> read(Message request) {
    RaftClient through = client();
    owed.incrementAndGet();
    return through
        .async()
        .sendReadOnlyUnordered(request, id)
        .whenComplete(
            (reply, error) -> {
              owed.decrementAndGet();
              if (error != null) {
                upAt = System.nanoTime() + DOWN_NANOS;
                CompletableFuture.runAsync(
                    () -> replace(through)); // not on a thread of the client that is closed
              }
            });
  }

  private synchronized RaftClient client() {
    return client;
  }

  /**
   * A client that connects again by itself fails all that is under way on the new connection, once
   * for each failure on the old one.
   */
  private synchronized void replace(RaftClient failed) {
    if (client == failed) {
      client = connect.get();
      close(failed);
    }
  }

  synchronized void close() {
    close(client);
  }

  static void close(RaftClient client) {
    try {
      client.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
