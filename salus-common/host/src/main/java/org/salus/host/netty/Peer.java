package org.salus.host.netty;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one node. It is idle, connecting (also while pausing between two connects) or
 * connected. This object's monitor guards the state. Under it, nothing blocks and no callback runs.
 * Thread-safe.
 */
final class Peer implements FrameHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Peer.class);

  private final Peers owner;
  private final String node;
  private final Loop loop;
  private final Queue<OutboundFrame> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean connecting;
  private FrameConnection connection;

  /** The pause before the next connect; it grows while connections end soon after they opened. */
  private Duration pause = Duration.ZERO;

  /** When the connection opened; used on its loop only. */
  private long openedNanos;

  Peer(Peers owner, String node, Loop loop) {
    this.owner = owner;
    this.node = node;
    this.loop = loop;
  }

  void send(OutboundFrame frame) {
    boolean full = false;
    boolean start = false;
    synchronized (this) {
      if (connection != null && connection.isOpen()) {
        connection.send(frame);
        return;
      }
      full = waitingBytes + frame.bodyBytes() > owner.retry().queueBytes();
      if (!full) {
        waiting.add(frame);
        waitingBytes += frame.bodyBytes();
        start = connection == null && !connecting; // else onClosed is to come, and knows the pause
        connecting |= start;
      }
    }
    if (full) {
      owner.drop(frame);
    } else if (start) {
      start();
    }
  }

  /** Connects, after a pause when the node has taken connections only to close them. */
  private void start() {
    Duration first = owner.retry().firstPause();
    Duration before;
    synchronized (this) {
      before = pause;
    }
    if (before.isZero()) {
      connect(1, first);
    } else {
      loop.schedule(before, () -> connect(1, first));
    }
  }

  private Duration longer(Duration than) {
    Peers.Retry retry = owner.retry();
    Duration next = than.isZero() ? retry.firstPause() : than.multipliedBy(2);
    return next.compareTo(retry.maxPause()) > 0 ? retry.maxPause() : next;
  }

  synchronized long queuedBytes() {
    return waitingBytes + (connection == null ? 0 : connection.queuedBytes());
  }

  void close() {
    FrameConnection open;
    synchronized (this) {
      open = connection;
    }
    if (open != null) {
      open.close();
    }
    giveUp();
  }

  @Override
  public void onOpen(FrameConnection opened) {
    opened.attach(node);
    openedNanos = System.nanoTime();
    owner.handler().onOpen(opened);
    synchronized (this) {
      connection = opened;
      connecting = false;
      waitingBytes = 0;
      for (OutboundFrame frame = waiting.poll(); frame != null; frame = waiting.poll()) {
        opened.send(frame);
      }
    }
    if (owner.isClosed()) {
      opened.close();
    }
  }

  @Override
  public void onFrame(FrameConnection from, ByteBuffer head, ByteBuffer payload) {
    owner.handler().onFrame(from, head, payload);
  }

  @Override
  public void onClosed(FrameConnection gone) {
    boolean good = System.nanoTime() - openedNanos > owner.retry().maxPause().toNanos();
    boolean start = false;
    synchronized (this) {
      pause = good ? Duration.ZERO : longer(pause);
      if (connection == gone) {
        connection = null;
        start = !waiting.isEmpty();
        connecting = start;
      }
    }
    owner.handler().onClosed(gone);
    if (owner.isClosed()) {
      giveUp();
    } else if (start) {
      start();
    }
  }

  private void connect(int attempt, Duration next) {
    InetSocketAddress address = owner.addressOf(node);
    if (address == null) {
      failed(attempt, next, "its address is not known");
      return;
    }
    owner
        .connector()
        .connect(loop, address, this)
        .whenComplete(
            (opened, problem) -> {
              if (problem != null) {
                failed(attempt, next, problem.getMessage());
              }
            });
  }

  private void failed(int attempt, Duration next, String why) {
    if (attempt >= owner.retry().attempts() || owner.isClosed()) {
      LOG.warn("giving up on {} after {} attempts: {}", node, attempt, why);
      giveUp();
      return;
    }
    loop.schedule(next, () -> connect(attempt + 1, longer(next)));
  }

  private void giveUp() {
    Queue<OutboundFrame> dropped;
    synchronized (this) {
      dropped = new ArrayDeque<>(waiting);
      waiting.clear();
      waitingBytes = 0;
      connecting = false;
    }
    dropped.forEach(owner::drop);
  }
}
