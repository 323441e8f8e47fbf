package org.salus.dist.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.dist.doctor.check.Check;
import org.salus.dist.doctor.check.Finding;
import org.salus.dist.doctor.check.Finding.Severity;
import org.salus.dist.doctor.check.Findings;
import org.salus.dist.doctor.check.ScriptedCluster;
import org.salus.dist.doctor.cluster.Cluster;

@Timeout(60)
class DoctorTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** What a check does. */
  private interface Deed {
    void run(Findings findings) throws IOException;
  }

  private static Check check(String name, Deed deed) {
    return new Check(name, "nothing") {
      @Override
      protected void look(Cluster cluster, Findings findings) throws IOException {
        deed.run(findings);
      }
    };
  }

  private static Diagnosis examine(Duration limit, Check... checks) throws InterruptedException {
    return new Doctor(List.of(checks), limit).examine(new ScriptedCluster(), words -> {});
  }

  @Test
  void aCheckThatHangsIsAFindingAndKeepsNobodyWaiting() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    Diagnosis d =
        examine(
            Duration.ofSeconds(1),
            check("hangs", f -> await(never)),
            check("finds", f -> f.warning("what", "way")));
    assertThat(d.findings())
        .extracting(Finding::check, Finding::severity)
        .containsExactly(tuple("hangs", Severity.PROBLEM), tuple("finds", Severity.WARNING));
    assertThat(d.findings().get(0).what()).contains("took longer than 1 s");
    assertThat(d.healthy()).isFalse();
  }

  @Test
  void whatIsDoneBeforeTheChecksCountsToo() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Duration limit = Duration.ofSeconds(2);
    Doctor doctor = new Doctor(List.of(check("hangs", f -> await(never))), limit);
    assertThatThrownBy(
            () ->
                TimeLimit.within(
                    limit,
                    () -> {
                      await(never);
                      return "";
                    }))
        .isInstanceOf(TimeoutException.class);
    long began = System.nanoTime();
    assertThat(doctor.examine(new ScriptedCluster(), words -> {}).healthy()).isFalse();
    assertThat(System.nanoTime() - began).isLessThan(limit.toNanos() / 2);
  }

  @Test
  void aTimeLimitPassesOnWhatIsThrown() throws Exception {
    assertThat(TimeLimit.<String>within(LONG, () -> "answer")).isEqualTo("answer");
    assertThatThrownBy(
            () ->
                TimeLimit.within(
                    LONG,
                    () -> {
                      throw new IOException("away");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("away");
    assertThatThrownBy(
            () ->
                TimeLimit.within(
                    LONG,
                    () -> {
                      throw new IllegalArgumentException("nonsense");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void checksRunSideBySide() throws InterruptedException {
    CountDownLatch both = new CountDownLatch(2);
    Deed meets =
        f -> {
          both.countDown();
          await(both);
        };
    assertThat(examine(LONG, check("a", meets), check("b", meets)).findings()).isEmpty();
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException cut) {
      throw new IOException(cut);
    }
  }

  @Test
  void whatCannotBeCheckedIsNotHealthyAndOneCauseIsOneLine() throws InterruptedException {
    Deed fails =
        f -> {
          throw new IOException("HDFS is away");
        };
    Diagnosis d =
        examine(
            LONG,
            check("a", fails),
            check("b", fails),
            check(
                "c",
                f -> {
                  throw new IllegalStateException("oops");
                }));
    assertThat(d.healthy()).isFalse();
    assertThat(d.findings()).hasSize(2);
    assertThat(d.findings().get(0).check()).isEqualTo("a,b");
    assertThat(d.findings().get(0).what()).isEqualTo("not checked, because HDFS is away");
    assertThat(d.findings().get(1).what()).contains("BUG: ", "oops");
  }

  @Test
  void problemsComeFirstAndNotesDoNotCount() throws InterruptedException {
    Diagnosis d =
        examine(
            LONG,
            check("a", f -> f.note("note")),
            check("b", f -> f.warning("warning", "way")),
            check("c", f -> f.problem("problem", "way")));
    assertThat(d.findings().stream().map(Finding::what))
        .containsExactly("problem", "warning", "note");
    assertThat(d.problems()).isEqualTo(1);
    assertThat(d.warnings()).isEqualTo(1);
    assertThat(examine(LONG, check("a", f -> f.note("note"))).healthy()).isTrue();
  }

  @Test
  void saysWhatItStillWaitsFor() throws InterruptedException {
    CountDownLatch spoken = new CountDownLatch(1);
    List<String> said = Collections.synchronizedList(new ArrayList<>());
    new Doctor(
            List.of(check("quick", f -> {}), check("slow", f -> await(spoken))),
            LONG,
            Duration.ofMillis(200))
        .examine(
            new ScriptedCluster(),
            words -> {
              said.add(words);
              spoken.countDown();
            });
    assertThat(said.get(0)).isEqualTo("still looking at slow");
  }
}
