package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
  private record Fault(String what, Throwable bug) {}

  @Test
  void threadsCarryTheirNameAndDoNotKeepTheProcessAlive() {
    Thread thread = DaemonThreads.named("salus-some").newThread(() -> {});
    assertThat(thread.getName()).isEqualTo("salus-some");
    assertThat(thread.isDaemon()).isTrue();
  }

  @Test
  void startedTaskRuns() throws Exception {
    CompletableFuture<String> ran = new CompletableFuture<>();
    DaemonThreads.start("salus-some", () -> ran.complete(Thread.currentThread().getName()));
    assertThat(ran.get(10, TimeUnit.SECONDS)).isEqualTo("salus-some");
  }

  @Test
  void uncaughtExceptionGoesToTheFaultHandler() throws Exception {
    CompletableFuture<Fault> told = new CompletableFuture<>();
    IllegalStateException bug = new IllegalStateException("a bug");
    DaemonThreads.named("salus-some", (what, thrown) -> told.complete(new Fault(what, thrown)))
        .newThread(
            () -> {
              throw bug;
            })
        .start();
    assertThat(told.get(10, TimeUnit.SECONDS)).isEqualTo(new Fault("thread salus-some", bug));
  }
}
