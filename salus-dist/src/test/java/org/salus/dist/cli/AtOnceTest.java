package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AtOnceTest {
  /** The first one waits for the last one. */
  @Test
  void tasksRunAtATimeAndAreToldInTheirOrder() throws Exception {
    CountDownLatch last = new CountDownLatch(1);
    List<Callable<String>> tasks = new ArrayList<>();
    tasks.add(
        () -> {
          last.await();
          return "first";
        });
    tasks.add(
        () -> {
          throw new IOException("it fails");
        });
    tasks.add(
        () -> {
          throw new IllegalStateException();
        });
    tasks.add(
        () -> {
          last.countDown();
          return "last";
        });
    List<String> printed = new ArrayList<>();
    StringWriter err = new StringWriter();
    assertThat(AtOnce.run(tasks, printed::add, new PrintWriter(err, true))).isEqualTo(Salus.FAILED);
    assertThat(printed).containsExactly("first", "last");
    assertThat(err.toString().lines())
        .containsExactly("salus: it fails", "salus: java.lang.IllegalStateException");
    assertThat(AtOnce.run(List.of(), printed::add, new PrintWriter(err))).isZero();
  }
}
