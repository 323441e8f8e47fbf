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
        start = !connecting;
        connecting = true;
      }
    }
    if (full) {
      owner.drop(frame);
    } else if (start) {
      connect(1, owner.retry().firstPause());
    }
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
    synchronized (this) {
      if (connection == gone) {
        connection = null;
      }
    }
    owner.handler().onClosed(gone);
  }

  private void connect(int attempt, Duration pause) {
    InetSocketAddress address = owner.addressOf(node);
    if (address == null) {
      failed(attempt, pause, "its address is not known");
      return;
    }
    owner
        .connector()
        .connect(loop, address, this)
        .whenComplete(
            (opened, problem) -> {
              if (problem != null) {
                failed(attempt, pause, problem.getMessage());
              }
            });
  }

  private void failed(int attempt, Duration pause, String why) {
    if (attempt >= owner.retry().attempts() || owner.isClosed()) {
      LOG.warn("giving up on {} after {} attempts: {}", node, attempt, why);
      giveUp();
      return;
    }
    Duration doubled = pause.multipliedBy(2);
    Duration longest = owner.retry().maxPause();
    loop.schedule(
        pause, () -> connect(attempt + 1, doubled.compareTo(longest) > 0 ? longest : doubled));
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
