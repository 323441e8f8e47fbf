package org.salus.datanode.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;

/**
 * Writes one replica of one block straight to one DataNode. Calls return at once and take effect in their order; one
 * thread connects and sends, another takes the acknowledgements and calls the listeners. Any thread may call.
 */
public final class ReplicaWriter implements AutoCloseable {
  /** A third of the time after which a DataNode that acknowledges nothing is given up. */
  private static final long HEARTBEAT_SECONDS = 3;
  private static final long GROUP_BYTES = 60 << 10;

  private final PacketStream.Setup setup;
  private final Configuration conf;
  private final long start;
  private final byte[] partial;
  private final LinkedBlockingQueue<Op> queue = new LinkedBlockingQueue<>();
  private final ArrayDeque<Op> unacked = new ArrayDeque<>();
  private final Set<AckListener> told = Collections.newSetFromMap(new IdentityHashMap<>());
  private PacketStream stream;
  private ReplicaFailure failure;
  private Consumer<ReplicaFailure> whenFailed = why -> { };
  private boolean done;
  /** Appends whose listener has been told neither of an acknowledgement nor of a failure. */
  private int outstanding;

  /** An append, or with {@code parts == null} the end. {@code seq} is that of its last packet, set before it is sent. */
  private static final class Op {
    final ByteBuffer[] parts;
    final boolean sync;
    final AckListener listener;
    long seq;
    long end;

    Op(ByteBuffer[] parts, boolean sync, AckListener listener) {
      this.parts = parts;
      this.sync = sync;
      this.listener = listener;
    }

    long bytes() {
      long bytes = 0;
      for (ByteBuffer part : parts == null ? new ByteBuffer[0] : parts) {
        bytes += part.remaining();
      }
      return bytes;
    }
  }

  ReplicaWriter(PacketStream.Setup setup, Configuration conf, long start, byte[] partial) {
    this.setup = setup;
    this.conf = conf;
    this.start = start;
    this.partial = partial;
    Thread sender = new Thread(this::send, "replica-send-" + setup.dataNode().getXferAddr());
    sender.setDaemon(true);
    sender.start();
  }

  /** Starts the replica with this index of a block that {@link VolumeFiles#createBlock} made. Connects in the background. */
  public static ReplicaWriter create(BlockHandle handle, int index, Configuration conf) {
    return new ReplicaWriter(PacketStream.Setup.create(handle, index), conf, 0, new byte[0]);
  }

  /**
   * Appends the remaining bytes of the parts. Their positions stay; their content must not change until the listener
   * is called. {@code sync}: acknowledge only what is on the DataNode's disk.
   */
  public void append(ByteBuffer[] parts, boolean sync, AckListener listener) {
    ByteBuffer[] views = new ByteBuffer[parts.length];
    for (int i = 0; i < parts.length; i++) {
      views[i] = parts[i].duplicate();
    }
    enqueue(new Op(views, sync, listener));
  }

  /** Finalizes the replica after all appends; nothing may be appended any more. The future has the replica's length. */
  public CompletableFuture<Long> finish(boolean sync) {
    CompletableFuture<Long> length = new CompletableFuture<>();
    enqueue(new Op(null, sync, new AckListener() {
      @Override
      public void acked(long end) {
        length.complete(end);
      }

      @Override
      public void failed(ReplicaFailure f) {
        length.completeExceptionally(new ReplicaFailureException(f));
      }
    }));
    return length;
  }

  /**
   * Who is told, once and on a thread of the writer, when nothing more can be written, whether or not anything is outstanding:
   * a DataNode that is gone is known before the next append. {@link #close} is no failure.
   */
  public void whenFailed(Consumer<ReplicaFailure> listener) {
    ReplicaFailure late;
    synchronized (this) {
      whenFailed = listener;
      late = failure;
    }
    if (late != null) {
      listener.accept(late);
    }
  }

  /**
   * Waits until no append is outstanding, for so many nanoseconds at most. A DataNode whose writer is cut off while it syncs a packet takes the
   * replica's memory and file for different ones, and nobody can recover that replica until the DataNode starts again.
   */
  public synchronized void awaitAcks(long nanos) throws InterruptedIOException {
    long end = System.nanoTime() + nanos;
    try {
      for (long left = nanos; outstanding > 0 && left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while appends are acknowledged");
    }
  }

  /** Drops the connection; the replica stays as it is. Outstanding appends fail. */
  @Override
  public void close() {
    synchronized (this) {
      if (done) {
        return;
      }
      whenFailed = why -> { };
    }
    fail(new ReplicaFailure(ReplicaFailure.Kind.CONNECTION, "writer closed"));
  }

  private void enqueue(Op op) {
    ReplicaFailure late;
    synchronized (this) {
      late = done && failure == null
          ? new ReplicaFailure(ReplicaFailure.Kind.REFUSED, "the replica is finished") : failure;
      if (late == null) {
        queue.add(op);
        outstanding++;
        return;
      }
      if (!told.add(op.listener)) {
        return;
      }
    }
    op.listener.failed(late);
  }

  private void send() {
    try {
      PacketStream opened = PacketStream.open(setup, start, partial);
      synchronized (this) {
        if (failure != null) {
          opened.close();
          return;
        }
        stream = opened;
      }
      Thread acks = new Thread(() -> takeAcks(opened), "replica-acks-" + setup.dataNode().getXferAddr());
      acks.setDaemon(true);
      acks.start();
      sendAll(opened);
    } catch (IOException e) {
      fail(FailureKinds.classify(e, setup, conf));
    } catch (InterruptedException e) {
      fail(new ReplicaFailure(ReplicaFailure.Kind.CONNECTION, "interrupted"));
    }
  }

  private void sendAll(PacketStream to) throws IOException, InterruptedException {
    for (;;) {
      Op op = queue.poll(HEARTBEAT_SECONDS, TimeUnit.SECONDS);
      if (op == null) {
        to.heartbeat();
        continue;
      }
      if (op.listener == null) {
        return;
      }
      List<Op> group = withNext(op);
      long bytes = 0;
      boolean sync = false;
      List<ByteBuffer> parts = new ArrayList<>();
      for (Op one : group) {
        bytes += one.bytes();
        one.end = to.position() + bytes;
        sync |= one.sync;
        parts.addAll(one.parts == null ? List.of() : Arrays.asList(one.parts));
      }
      long last = to.lastSequenceOf(bytes);
      synchronized (this) {
        if (failure != null) {
          queue.addAll(group);
          throw new IOException(failure.message());
        }
        group.forEach(one -> one.seq = last);
        unacked.addAll(group);
      }
      if (op.parts == null) {
        to.end(sync);
      } else {
        to.append(parts.toArray(ByteBuffer[]::new), bytes, sync);
      }
      if (op.parts == null || queue.isEmpty()) {
        to.flush();
      }
      if (op.parts == null) {
        return;
      }
    }
  }

  /** Small appends that wait go out in one packet, and are acknowledged together. */
  private List<Op> withNext(Op first) {
    List<Op> group = new ArrayList<>(List.of(first));
    long bytes = first.bytes();
    for (Op next = queue.peek(); first.parts != null && next != null && next.parts != null && next.listener != null
        && bytes + next.bytes() <= GROUP_BYTES; next = queue.peek()) {
      group.add(queue.poll());
      bytes += next.bytes();
    }
    return group;
  }

  private void takeAcks(PacketStream from) {
    try {
      for (;;) {
        long seq = from.readAck();
        for (Op op; (op = ackedUpTo(seq)) != null;) {
          boolean end = op.parts == null;
          if (end) {
            from.close();
          }
          op.listener.acked(op.end);
          settled(1);
          if (end) {
            return;
          }
        }
      }
    } catch (IOException e) {
      fail(FailureKinds.classify(e, setup, conf));
    }
  }

  private synchronized Op ackedUpTo(long seq) {
    Op first = unacked.peek();
    if (failure != null || first == null || first.seq > seq) {
      return null;
    }
    done = first.parts == null;
    return unacked.poll();
  }

  private synchronized void settled(int appends) {
    outstanding -= appends;
    notifyAll();
  }

  /** The first failure counts. Listeners are called outside the lock. */
  private void fail(ReplicaFailure why) {
    ArrayDeque<Op> orphans;
    int appends;
    Consumer<ReplicaFailure> listener;
    synchronized (this) {
      boolean first = failure == null && !done;
      if (first) {
        failure = why;
      }
      listener = first ? whenFailed : again -> { };
      if (failure == null) {
        return;
      }
      orphans = new ArrayDeque<>(unacked);
      unacked.clear();
      queue.drainTo(orphans);
      orphans.removeIf(op -> op.listener == null);
      appends = orphans.size();
      orphans.removeIf(op -> !told.add(op.listener));
      queue.add(new Op(null, false, null));
      if (stream != null) {
        stream.close();
      }
      why = failure;
    }
    listener.accept(why);
    for (Op op : orphans) {
      op.listener.failed(why);
    }
    settled(appends);
  }
}
