package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.hdfs.netty.PacketStream;
import org.salus.host.DaemonThreads;
import org.salus.host.netty.Loop;

/**
 * Writes one replica of one block straight to one DataNode, on a loop, which also calls the
 * listeners. Calls return at once and take effect in their order. Any thread may call.
 */
public final class ReplicaWriter implements AutoCloseable {
  private static final long GROUP_BYTES = 60 << 10;

  private final PacketStream.Setup setup;
  private final Configuration conf;
  private final Loop loop;
  private final Queue<Op> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean turnScheduled = new AtomicBoolean();

  /**
   * Appends whose listener has been told neither of an acknowledgement nor of a failure; guarded by
   * this.
   */
  private int outstanding;

  // For the loop.
  private final PacketStream stream;
  private final ArrayDeque<Op> unacked = new ArrayDeque<>();
  private final Set<AckListener> told = Collections.newSetFromMap(new IdentityHashMap<>());
  private Consumer<ReplicaFailure> whenFailed = why -> {};
  private ReplicaFailure failure;
  private boolean lost;
  private boolean ended;
  private boolean done;

  /**
   * An append, or with {@code parts == null} the end. {@code sequence} is that of its last packet.
   */
  private static final class Op {
    final List<ByteBuffer> parts;
    final long bytes;
    final boolean sync;
    final AckListener listener;
    long sequence;
    long end;

    Op(List<ByteBuffer> parts, boolean sync, AckListener listener) {
      this.parts = parts;
      this.bytes = parts == null ? 0 : parts.stream().mapToLong(ByteBuffer::remaining).sum();
      this.sync = sync;
      this.listener = listener;
    }

    boolean isEnd() {
      return parts == null;
    }
  }

  private static final class Length implements AckListener {
    final CompletableFuture<Long> future = new CompletableFuture<>();

    @Override
    public void acked(long length) {
      future.complete(length);
    }

    @Override
    public void failed(ReplicaFailure failure) {
      future.completeExceptionally(new ReplicaFailureException(failure));
    }
  }

  ReplicaWriter(
      PacketStream.Setup setup, Configuration conf, Loop loop, long start, byte[] partial) {
    this.setup = setup;
    this.conf = conf;
    this.loop = loop;
    this.stream = new PacketStream(setup, start, partial, new Events());
    onLoop(() -> stream.connect(loop));
  }

  /**
   * Starts the replica with this index of a block that {@link VolumeFiles#createBlock} made.
   * Connects in the background.
   */
  public static ReplicaWriter create(BlockHandle handle, int index, Configuration conf, Loop loop) {
    // A stamp other than 0 would wipe an existing replica.
    PacketStream.Setup setup =
        new PacketStream.Setup(
            handle.blockOfLength(handle.blockSize()),
            handle.located().getBlockToken(),
            handle.located().getLocations()[index],
            handle.located().getStorageTypes()[index],
            handle.located().getStorageIDs()[index],
            VolumeFiles.leaseHolder(handle.path()),
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            0,
            0);
    return new ReplicaWriter(setup, conf, loop, 0, new byte[0]);
  }

  /**
   * Appends the remaining bytes of the parts. Their positions stay; their content must not change
   * until the listener is called. {@code sync}: acknowledge only what is on the DataNode's disk.
   */
  public void append(List<ByteBuffer> parts, boolean sync, AckListener listener) {
    enqueue(new Op(parts.stream().map(ByteBuffer::duplicate).toList(), sync, listener));
  }

  /** As the other; the future has the replica's length or a {@link ReplicaFailureException}. */
  CompletableFuture<Long> append(List<ByteBuffer> parts, boolean sync) {
    Length length = new Length();
    append(parts, sync, length);
    return length.future;
  }

  /**
   * Finalizes the replica after all appends; nothing may be appended any more. The future has the
   * replica's length.
   */
  public CompletableFuture<Long> finish(boolean sync) {
    Length length = new Length();
    enqueue(new Op(null, sync, length));
    return length.future;
  }

  /**
   * Who is told, once and on the loop, when nothing more can be written, whether or not anything is
   * outstanding: a DataNode that is gone is known before the next append. {@link #close} is no
   * failure.
   */
  public void whenFailed(Consumer<ReplicaFailure> listener) {
    onLoop(
        () -> {
          whenFailed = listener;
          if (failure != null) {
            listener.accept(failure);
          }
        });
  }

  /**
   * Waits until no append is outstanding, for so many nanoseconds at most; not on the loop. A
   * DataNode whose writer is cut off while it syncs a packet takes the replica's memory and file
   * for different ones, and nobody can recover that replica until the DataNode starts again.
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
    onLoop(
        () -> {
          if (!done) {
            whenFailed = why -> {};
            fail(new ReplicaFailure(ReplicaFailure.Kind.CONNECTION, "writer closed"));
          }
        });
  }

  private void enqueue(Op op) {
    settled(-1);
    queue.add(op);
    if (turnScheduled.compareAndSet(false, true)) {
      later(this::turn);
    }
  }

  private void onLoop(Runnable task) {
    if (loop.inLoop()) {
      task.run();
    } else {
      later(task);
    }
  }

  /**
   * A loop that has been stopped runs nothing any more, so nothing is in the way of the calling
   * thread.
   */
  private void later(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      task.run();
    }
  }

  /** What was appended in one turn of the loop goes out together. */
  private void turn() {
    turnScheduled.set(false);
    sendAll();
  }

  private void sendAll() {
    if (failure != null || ended) {
      refuse();
      return;
    }
    boolean sent = false;
    while (!ended && !lost && stream.isWritable() && !queue.isEmpty()) {
      send(nextGroup());
      sent = true;
    }
    if (sent) {
      stream.flush();
    }
  }

  private void refuse() {
    ReplicaFailure why =
        failure != null
            ? failure
            : new ReplicaFailure(ReplicaFailure.Kind.REFUSED, "the replica is finished");
    for (Op op = queue.poll(); op != null; op = queue.poll()) {
      tell(op, why);
    }
  }

  private void tell(Op op, ReplicaFailure why) {
    if (told.add(op.listener)) {
      op.listener.failed(why);
    }
    settled(1);
  }

  /** Small appends that wait go out in one packet, and are acknowledged together. */
  private List<Op> nextGroup() {
    Op first = queue.poll();
    List<Op> group = new ArrayList<>(List.of(first));
    long bytes = first.bytes;
    for (Op next = queue.peek();
        !first.isEnd() && next != null && !next.isEnd() && bytes + next.bytes <= GROUP_BYTES;
        next = queue.peek()) {
      group.add(queue.poll());
      bytes += next.bytes;
    }
    return group;
  }

  private void send(List<Op> group) {
    ended = group.get(0).isEnd();
    long end = stream.position();
    boolean sync = false;
    for (Op op : group) {
      end += op.bytes;
      op.end = end;
      sync |= op.sync;
    }
    List<ByteBuffer> parts =
        ended ? List.of() : group.stream().flatMap(op -> op.parts.stream()).toList();
    long sequence = ended ? stream.end(sync) : stream.append(parts, end - stream.position(), sync);
    group.forEach(op -> op.sequence = sequence);
    unacked.addAll(group);
  }

  private final class Events implements PacketStream.Owner {
    @Override
    public void writable() {
      sendAll();
    }

    @Override
    public void acked(long sequence) {
      while (!unacked.isEmpty() && unacked.peek().sequence <= sequence) {
        Op op = unacked.poll();
        if (op.isEnd()) {
          done = true;
          stream.close();
        }
        op.listener.acked(op.end);
        settled(1);
      }
    }

    @Override
    public void lost(IOException why) {
      if (!lost && !done && failure == null) {
        lost = true;
        stream.close();
        askWhy(why);
      }
    }
  }

  /** The DataNode is asked why, by a thread that may wait for it. */
  private void askWhy(IOException lost) {
    DaemonThreads.start(
        "replica-failure-" + setup.dataNode().getXferAddr(),
        () -> {
          ReplicaFailure why = FailureKinds.classify(lost, setup, conf);
          onLoop(() -> fail(why));
        });
  }

  /** The first failure counts. */
  private void fail(ReplicaFailure why) {
    if (failure != null) {
      return;
    }
    failure = why;
    stream.close();
    whenFailed.accept(why);
    for (Op op = unacked.poll(); op != null; op = unacked.poll()) {
      tell(op, why);
    }
    refuse();
  }

  private synchronized void settled(int appends) {
    outstanding -= appends;
    notifyAll();
  }
}
