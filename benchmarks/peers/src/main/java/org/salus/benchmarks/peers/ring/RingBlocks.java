package org.salus.benchmarks.peers.ring;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.RequestWindow;

/** Blocks on the servers of a ring, which are asked in turn. */
public final class RingBlocks implements BlockStoreUnderTest {
  private final String name;
  private final List<String> servers;
  private final RequestWindow window;
  private final List<LinkQueue> requests = new ArrayList<>();
  private final List<RingLink> links = new ArrayList<>();
  private final Map<Long, CompletableFuture<RingMessage>> asked = new ConcurrentHashMap<>();
  private volatile IOException broken;

  /** The number of the last request. Answers name the number of their request. */
  private final AtomicLong count = new AtomicLong();

  /**
   * @param name the name in tables
   * @param servers {@code host:port} of each server
   * @param outstanding most outstanding requests
   */
  public RingBlocks(String name, List<String> servers, int outstanding) {
    this.name = name;
    this.servers = servers;
    this.window = new RequestWindow(outstanding);
  }

  /** The class whose processes are the servers. */
  public static Class<?> server() {
    return RingServer.class;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void open(long blocks) throws IOException {
    for (String server : servers) {
      InetSocketAddress address = RingServer.address(server);
      LinkQueue queue = new LinkQueue();
      requests.add(queue);
      links.add(
          RingLink.start(
              new Socket(address.getAddress(), address.getPort()),
              queue,
              this::answered,
              this::fail));
    }
  }

  @Override
  public CompletableFuture<Void> write(long block, byte[] content) {
    return ask(RingMessage.ask(
            RingMessage.Kind.ASK_WRITE, (int) block, count.incrementAndGet(), content))
        .thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<byte[]> read(long block) {
    return ask(RingMessage.askRead((int) block, count.incrementAndGet()))
        .thenApply(RingMessage::content);
  }

  private CompletableFuture<RingMessage> ask(RingMessage m) {
    window.enter();
    CompletableFuture<RingMessage> answer = new CompletableFuture<>();
    asked.put(m.request(), answer);
    requests.get((int) (m.request() % requests.size())).add(m);
    if (broken != null) {
      fail(broken); // it may not have seen this one
    }
    return answer.whenComplete((done, error) -> window.leave());
  }

  private void answered(RingMessage m) {
    asked.remove(m.request()).complete(m);
  }

  private void fail(IOException why) {
    broken = why;
    asked.values().forEach(a -> a.completeExceptionally(why));
  }

  @Override
  public void send() {
    // No write is held back here.
  }

  @Override
  public CompletableFuture<Void> barrier() {
    throw new UnsupportedOperationException("writes of different blocks have no order");
  }

  @Override
  public long settle() {
    return System.nanoTime(); // writes are in place at once, and nothing runs in the background
  }

  @Override
  public void close() {
    links.forEach(RingLink::close);
  }
}
