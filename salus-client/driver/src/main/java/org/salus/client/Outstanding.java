package org.salus.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A volume's requests from their calls to their ends, and what they hold. Thread-safe. */
final class Outstanding {
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String volume;
  private final RequestMemory memory;
  private final Duration patience;
  private final LongSupplier nanos;
  private final Set<Operation<?>> requests = ConcurrentHashMap.newKeySet();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder slow = new LongAdder();

  /** The number of requests that succeeded, and of their bytes, by kind. */
  private final List<LongAdder> done = adders();

  private final List<LongAdder> doneBytes = adders();

  /**
   * @param memory what this volume's requests may hold, and others' that share it
   * @param patience the longest time that a call waits for memory
   */
  Outstanding(String volume, RequestMemory memory, Duration patience) {
    this(volume, memory, patience, System::nanoTime);
  }

  Outstanding(String volume, RequestMemory memory, Duration patience, LongSupplier nanos) {
    this.volume = volume;
    this.memory = memory;
    this.patience = patience;
    this.nanos = nanos;
  }

  private static List<LongAdder> adders() {
    return Stream.generate(LongAdder::new).limit(Operation.Kind.values().length).toList();
  }

  /** The memory that this volume's requests may hold. */
  RequestMemory memory() {
    return memory;
  }

  /**
   * Takes memory for a request that is to be made.
   *
   * @param mayWait whether the calling thread may wait for it
   * @return why there is none, or null
   */
  SalusException.Overloaded reserve(long weight, boolean mayWait) {
    try {
      if (mayWait ? memory.take(weight, patience) : memory.tryTake(weight)) {
        return null;
      }
      return overloaded(mayWait ? "for " + patience.toSeconds() + " s" : "now");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return overloaded("before the thread was interrupted");
    }
  }

  private SalusException.Overloaded overloaded(String when) {
    return new SalusException.Overloaded(
        "volume "
            + volume
            + ": there was no memory for another request "
            + when
            + ", since outstanding ones may hold "
            + memory.most()
            + " bytes (salus.client.outstanding.bytes); wait until some of them are done");
  }

  /** Gives back memory that was reserved for a request that was not made. */
  void release(long weight) {
    memory.give(weight);
  }

  /** Notes a request, for which memory was reserved. It calls {@link #over} at its end. */
  void add(Operation<?> op) {
    bytes.add(op.weight());
    op.called = nanos.getAsLong();
    op.whenOver(this::over);
    requests.add(op); // last: from now on another thread may end it
  }

  private void over(Operation<?> op, Throwable why) {
    requests.remove(op);
    bytes.add(-op.weight());
    memory.give(op.weight());
    if (nanos.getAsLong() - op.called > SLOW_NANOS) {
      slow.increment();
    }
    if (why != null) {
      failed.increment();
    } else {
      done.get(op.kind().ordinal()).increment();
      doneBytes.get(op.kind().ordinal()).add(op.length);
    }
  }

  /** Fails every request that has not ended. */
  void failAll(SalusException why) {
    requests.forEach(op -> op.fail(why));
  }

  VolumeStatistics statistics() {
    return new VolumeStatistics(
        requests.size(),
        bytes.sum(),
        oldest(),
        count(done, Operation.Kind.READ),
        count(doneBytes, Operation.Kind.READ),
        count(done, Operation.Kind.WRITE),
        count(doneBytes, Operation.Kind.WRITE),
        count(done, Operation.Kind.ZERO),
        count(doneBytes, Operation.Kind.ZERO),
        count(done, Operation.Kind.FLUSH),
        failed.sum(),
        slow.sum());
  }

  private Duration oldest() {
    long now = nanos.getAsLong();
    return Duration.ofNanos(requests.stream().mapToLong(op -> now - op.called).max().orElse(0));
  }

  private static long count(List<LongAdder> by, Operation.Kind kind) {
    return by.get(kind.ordinal()).sum();
  }
}
