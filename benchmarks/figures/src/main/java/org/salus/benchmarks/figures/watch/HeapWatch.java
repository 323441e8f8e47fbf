package org.salus.benchmarks.figures.watch;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** Watches the heap of this JVM. Thread-safe. */
public final class HeapWatch implements AutoCloseable {
  private final AtomicLong most = new AtomicLong();
  private final Set<String> heapPools;
  private final NotificationListener listener = this::collected;

  public HeapWatch() {
    heapPools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(p -> p.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    for (GarbageCollectorMXBean c : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) c).addNotificationListener(listener, null, null);
    }
  }

  private void collected(Notification n, Object nothing) {
    if (n.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      Map<String, MemoryUsage> after =
          GarbageCollectionNotificationInfo.from((CompositeData) n.getUserData())
              .getGcInfo()
              .getMemoryUsageAfterGc();
      long used = heapPools.stream().mapToLong(p -> after.get(p).getUsed()).sum();
      most.accumulateAndGet(used, Math::max);
    }
  }

  /**
   * The most bytes that any collection has left since this watch was made. Some may have been
   * garbage.
   */
  public long mostAfterCollection() {
    return most.get();
  }

  @Override
  public void close() {
    for (GarbageCollectorMXBean c : ManagementFactory.getGarbageCollectorMXBeans()) {
      try {
        ((NotificationEmitter) c).removeNotificationListener(listener);
      } catch (ListenerNotFoundException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }
}
