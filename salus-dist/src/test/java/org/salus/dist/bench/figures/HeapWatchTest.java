package org.salus.dist.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.salus.dist.hbase.Await;

class HeapWatchTest {
  @Test
  void whatIsInUseAtACollectionCounts() throws Exception {
    try (HeapWatch watch = new HeapWatch()) {
      byte[] used = new byte[16 << 20];
      System.gc();
      Await.until(
          "the collection was told of",
          Duration.ofSeconds(30),
          () -> watch.mostAfterCollection() > used.length);
      assertThat(used).hasSize(16 << 20);
    }
  }
}
