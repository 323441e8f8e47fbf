package org.salus.benchmarks.figures.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class HeapWatchTest {
  @Test
  void whatIsInUseAtACollectionCounts() throws Exception {
    try (HeapWatch watch = new HeapWatch()) {
      byte[] used = new byte[16 << 20];
      System.gc();
      while (watch.mostAfterCollection() <= used.length) { // until the time limit of tests
        LockSupport.parkNanos(20_000_000);
      }
      assertThat(used).hasSize(16 << 20);
    }
  }
}
