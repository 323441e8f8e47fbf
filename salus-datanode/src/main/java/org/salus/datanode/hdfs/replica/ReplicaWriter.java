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
import org.salus.core.path.FilePath;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.hdfs.netty.PacketStream;
import org.salus.host.DaemonThreads;
import org.salus.host.netty.Loop;

/**
 * Writes one replica of one HDFS block straight to one DataNode (§4.2.3). A loop does the work and
 * calls the listeners. Calls return at once and take effect in their order. Thread-safe.
 */
public final class ReplicaWriter implements AutoCloseable {
  private static final long GROUP_BYTES = 60 << 10;

  private final PacketStream.Setup setup;
  private final Configuration conf;
  private final Loop loop;
  private final Queue<Op> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean turnScheduled = new AtomicBoolean();

  /**
   * The number of appends whose listener has heard of neither an acknowledgement nor a failure;
   * guarded by this.
   */
  private int outstanding;

  // Only the loop uses the following fields.
  private final PacketStream stream;
  private final ArrayDeque<Op> unacked = new ArrayDeque<>();
  private final Set<AckListener> told = Collections.newSetFromMap(new IdentityHashMap<>());
  private Consumer<ReplicaFailure> whenFailed = why -> {};
  private ReplicaFailure failure;
  private boolean lost;
  private boolean ended;
  private boolean done;

  /**
   * An append, or the end of the replica if {@code parts == null}. {@code sequence} is the number
   * of its last packet, and {@code end} the replica's length after it.
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

  private ReplicaWriter(
      PacketStream.Setup setup, Configuration conf, Loop loop, long start, byte[] partial) {
    this.setup = setup;
    this.conf = conf;
    this.loop = loop;
    this.stream = new PacketStream(setup, start, partial, new Events());
  }

  /** Starts to write as the request says. Connects in the background. */
  static ReplicaWriter start(
      PacketStream.Setup setup, Configuration conf, Loop loop, long start, byte[] partial) {
    ReplicaWriter writer = new ReplicaWriter(setup, conf, loop, start, partial);
    writer.onLoop(() -> writer.stream.connect(loop));
    return writer;
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
            FilePath.holder(handle.path()),
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            0,
            0);
    return start(setup, conf, loop, 0, new byte[0]);
  }

  /**
   * Appends the remaining bytes of the parts. Their positions stay. Their content must not change
   * until the listener is called.
   *
   * @param sync whether to acknowledge only bytes that are on the DataNode's disk
   */
  public void append(List<ByteBuffer> parts, boolean sync, AckListener listener) {
    enqueue(new Op(parts.stream().map(ByteBuffer::duplicate).toList(), sync, listener));
  }

  /**
   * Appends like the other method. The future gets the replica's length or a {@link
   * ReplicaFailureException}.
   */
  CompletableFuture<Long> append(List<ByteBuffer> parts, boolean sync) {
    Length length = new Length();
    append(parts, sync, length);
    return length.future;
  }

  /**
   * Finalizes the replica after all appends. Later appends fail. The future gets the replica's
   * length in bytes or a {@link ReplicaFailureException}.
   */
  public CompletableFuture<Long> finish(boolean sync) {
    Length length = new Length();
    enqueue(new Op(null, sync, length));
    return length.future;
  }

  /**
   * Sets the listener that hears, once and on the loop, that nothing more can be written. It hears
   * so even without outstanding appends, so a lost DataNode is known before the next append. {@link
   * #close} is no failure.
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
   * Waits until no append is outstanding, for at most {@code nanos} nanoseconds. Do not call it on
   * the loop. If a writer leaves while its DataNode syncs a packet, the DataNode takes the
   * replica's memory and file for different ones. Nobody can recover that replica until the
   * DataNode is restarted.
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

  /** Drops the connection. The replica stays as it is, and outstanding appends fail. */
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
   * Runs a task on the loop. If the loop has stopped, it runs nothing any more, so the calling
   * thread may run the task itself.
   */
  private void later(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      task.run();
    }
  }

  /** Sends the appends of one turn of the loop together. */
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

  /**
   * Takes a group of small waiting appends. They go out in one packet and are acknowledged
   * together.
   */
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

  /** Asks the DataNode for the reason, on a thread that may wait for the answer. */
  private void askWhy(IOException lost) {
    DaemonThreads.start(
        "replica-failure-" + setup.dataNode().getXferAddr(),
        () -> {
          ReplicaFailure why = FailureKinds.classify(lost, setup, conf);
          onLoop(() -> fail(why));
        });
  }

  /** Fails the writer; only the first failure counts. */
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
