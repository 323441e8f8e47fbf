package org.salus.benchmarks.peers.ring;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A queue of messages to send, first in, first out. Thread-safe. */
final class LinkQueue implements RingLink.Source {
  private final BlockingQueue<RingMessage> waiting = new LinkedBlockingQueue<>();

  void add(RingMessage m) {
    waiting.add(m);
  }

  @Override
  public RingMessage take() throws InterruptedException {
    return waiting.take();
  }

  @Override
  public RingMessage poll() {
    return waiting.poll();
  }
}
