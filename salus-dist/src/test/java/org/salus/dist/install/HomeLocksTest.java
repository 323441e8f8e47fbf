package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeLocksTest {
  private static final int THREADS = 4;
  private static final int TRIALS = 3000;

  @TempDir(factory = InMemory.class)
  Path temp;

  private final AtomicInteger inside = new AtomicInteger();

  @Test
  void thereIsNeverMoreThanOneInside() throws Exception {
    Path root = temp.toRealPath();
    Home home = new Home(Product.HADOOP, root, root, root, root.resolve("hdfs-site.xml"));
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> done = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        done.add(threads.submit(() -> enter(home)));
      }
      int entered = 0;
      for (Future<Integer> d : done) {
        entered += d.get();
      }
      assertThat(entered).isPositive();
    } finally {
      threads.shutdownNow();
    }
    assertThat(Files.list(root)).isEmpty();
  }

  /** Returns how often it was the one. */
  private int enter(Home home) {
    int times = 0;
    for (int i = 0; i < TRIALS; i++) {
      try (HomeLocks held = HomeLocks.of(List.of(home))) {
        assertThat(held).isNotNull();
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        times++;
        inside.decrementAndGet();
      } catch (IOException otherIsInside) {
        assertThat(otherIsInside).hasMessageContaining("is at work in");
      }
    }
    return times;
  }
}
