package org.salus.client.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallbackPoolTest {
  @Test
  void callbacksThatWaitForFuturesDoNotHoldUpOthers() throws Exception {
    ExecutorService pool = CallbackPool.create();
    CompletableFuture<Void> last = new CompletableFuture<>();
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(CompletableFuture.runAsync(last::join, pool));
    }
    CompletableFuture<Boolean> daemon =
        CompletableFuture.supplyAsync(() -> Thread.currentThread().isDaemon(), pool);
    assertThat(daemon.get(30, TimeUnit.SECONDS)).isTrue();
    last.complete(null);
    for (CompletableFuture<Void> each : waiting) {
      each.get(30, TimeUnit.SECONDS);
    }
    pool.shutdown();
  }
}
