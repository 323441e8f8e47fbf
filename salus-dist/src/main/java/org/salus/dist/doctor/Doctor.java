package org.salus.dist.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.salus.dist.doctor.check.Check;
import org.salus.dist.doctor.check.Finding;
import org.salus.dist.doctor.check.Finding.Severity;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs checks side by side. One that does not end in time is a finding. */
public final class Doctor {
  private static final Logger LOG = LoggerFactory.getLogger(Doctor.class);
  private static final Duration BETWEEN_WORDS = Duration.ofSeconds(3);
  private static final String ASK_AGAIN =
      "see whether every daemon runs and answers; 'salus doctor --timeout SECONDS' waits longer";

  private final List<Check> checks;
  private final Duration limit;
  private final long end;
  private final Duration betweenWords;

  /**
   * Its clock starts now.
   *
   * @param limit the longest time for all checks together, and for what is done before them
   */
  public Doctor(List<Check> checks, Duration limit) {
    this(checks, limit, BETWEEN_WORDS);
  }

  Doctor(List<Check> checks, Duration limit, Duration betweenWords) {
    this.checks = List.copyOf(checks);
    this.limit = limit;
    this.end = System.nanoTime() + limit.toNanos();
    this.betweenWords = betweenWords;
  }

  /**
   * Examines a cluster.
   *
   * @param progress takes a few words now and then while it lasts
   */
  public Diagnosis examine(Cluster cluster, Consumer<String> progress) throws InterruptedException {
    Map<Check, CompletableFuture<Look>> looks = new LinkedHashMap<>();
    checks.forEach(c -> looks.put(c, begin(c, cluster)));
    await(looks, progress);
    Look late = new Look(List.of(), "it took longer than " + limit.toSeconds() + " s");
    List<Finding> findings = new ArrayList<>();
    Map<String, List<String>> failures = new LinkedHashMap<>();
    looks.forEach(
        (check, look) -> {
          Look seen = look.getNow(late);
          findings.addAll(seen.found());
          if (!seen.failure().isEmpty()) {
            failures.computeIfAbsent(seen.failure(), f -> new ArrayList<>()).add(check.name());
          }
        });
    findings.addAll(unknown(failures));
    findings.sort(Comparator.comparing(Finding::severity)); // keeps the order of checks
    return Diagnosis.of(
        findings, checks.stream().map(c -> new Diagnosis.Looked(c.name(), c.looksFor())).toList());
  }

  /** What a check has found, or why it could not look. */
  private record Look(List<Finding> found, String failure) {}

  private static CompletableFuture<Look> begin(Check check, Cluster cluster) {
    CompletableFuture<Look> look = new CompletableFuture<>();
    DaemonThreads.start("salus-doctor " + check.name(), () -> look.complete(look(check, cluster)));
    return look;
  }

  private static Look look(Check check, Cluster cluster) {
    try {
      return new Look(check.look(cluster), "");
    } catch (IOException unknown) {
      return new Look(List.of(), String.valueOf(unknown.getMessage()));
    } catch (RuntimeException bug) {
      LOG.error("BUG: the check {} does not work", check.name(), bug);
      return new Look(List.of(), "BUG: " + bug);
    }
  }

  /** A cluster of which something is not known is not said to be healthy. One cause is one line. */
  private static List<Finding> unknown(Map<String, List<String>> checksByFailure) {
    return checksByFailure.entrySet().stream()
        .map(
            f ->
                new Finding(
                    Severity.PROBLEM,
                    String.join(",", f.getValue()),
                    "not checked, because " + f.getKey(),
                    ASK_AGAIN))
        .toList();
  }

  private void await(Map<Check, CompletableFuture<Look>> looks, Consumer<String> progress)
      throws InterruptedException {
    long words = System.nanoTime() + betweenWords.toNanos();
    while (System.nanoTime() - end < 0) {
      List<String> open =
          looks.entrySet().stream()
              .filter(l -> !l.getValue().isDone())
              .map(l -> l.getKey().name())
              .toList();
      if (open.isEmpty()) {
        return;
      }
      if (System.nanoTime() >= words) {
        words += betweenWords.toNanos();
        progress.accept("still looking at " + String.join(", ", open));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
