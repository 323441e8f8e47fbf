package org.salus.benchmarks.figures.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;

/** Needs root, {@code ip} and {@code tc}; without them it fails with what is missing. */
@Tag("cluster")
class NetworkMakerTest {
  private static final String A = "198.18.0.1";
  private static final String B = "198.18.0.2";
  private static final int BYTES = 10_000_000;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A process of this number cannot be: Linux has no more than 2^22. */
  private static final NetworkOwner GONE = new NetworkOwner(1L << 23, 1);

  private static Map<String, LinkedMachine> two(int link) {
    return Map.of("a", new LinkedMachine(A, link), "b", new LinkedMachine(B, link));
  }

  @Test
  void hostsReachEachOtherAndWhatTheySendIsCounted() throws Exception {
    try (NetworkMaker machines = new NetworkMaker(1000, two(1000))) {
      MachineNetwork network = machines.make();
      Process b = pour(network, "b", "take", B);
      Traffic before = network.traffic();
      Process a = pour(network, "a", "send", B, Integer.toString(BYTES));
      assertThat(a.waitFor()).isZero();
      assertThat(b.inputReader().readLine()).isEqualTo(Integer.toString(BYTES));
      Traffic traffic = network.traffic().since(before);
      // Heads of frames are less than 1 %; the rest is for what is sent again after a queue was
      // full.
      assertThat(traffic.sentBy(List.of("a")))
          .isBetween((long) (BYTES * 1.005), (long) (BYTES * 1.1));
      assertThat(traffic.received().get("b"))
          .isBetween((long) (BYTES * 1.005), (long) (BYTES * 1.1));
      assertThat(traffic.sentBy(List.of("b"))).isLessThan(BYTES / 20);
      assertThat(traffic.shared())
          .isCloseTo(
              traffic.received().get("a") + traffic.received().get("b"), within(BYTES / 1000L));
    }
  }

  @Test
  void aLinkIsNotFasterThanItsCap() throws Exception {
    try (NetworkMaker machines = new NetworkMaker(1000, two(40))) {
      assertThat(megabits(machines.make(), false)).isLessThan(42);
    }
  }

  @Test
  void bothDirectionsTogetherAreNotFasterThanTheSharedCap() throws Exception {
    try (NetworkMaker machines = new NetworkMaker(40, two(1000))) {
      assertThat(megabits(machines.make(), true)).isLessThan(42);
    }
  }

  /** From machine a to b, and with {@code both} from b to a at the same time; of all together. */
  private static double megabits(MachineNetwork network, boolean both)
      throws IOException, InterruptedException {
    List<String> senders = both ? List.of("a", "b") : List.of("a");
    for (String sender : senders) {
      pour(network, other(sender), "take", address(other(sender)));
    }
    long begin = System.nanoTime();
    List<Process> sending = new ArrayList<>();
    for (String sender : senders) {
      sending.add(pour(network, sender, "send", address(other(sender)), Integer.toString(BYTES)));
    }
    for (Process p : sending) {
      assertThat(p.waitFor()).isZero();
    }
    return senders.size() * BYTES * 8 / 1e6 / ((System.nanoTime() - begin) / NANOS);
  }

  private static String address(String machine) {
    return machine.equals("a") ? A : B;
  }

  private static String other(String machine) {
    return machine.equals("a") ? "b" : "a";
  }

  @Test
  void nothingIsLeftAndNothingElseIsTouchedWhileProcessesStillRun() throws Exception {
    List<String> namespaces = Iproute.ip("netns list").lines().toList();
    String links = Iproute.ip("-o link show");
    Process running;
    try (NetworkMaker machines = new NetworkMaker(100, two(100))) {
      running = pour(machines.make(), "a", "take", A);
      assertThat(Iproute.ip("-o link show")).isEqualTo(links);
    }
    assertThat(running.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(Iproute.ip("netns list").lines()).containsExactlyInAnyOrderElementsOf(namespaces);
    assertThat(Iproute.ip("-o link show")).isEqualTo(links);
  }

  @Test
  void aFailureLeavesNothing() throws Exception {
    List<String> namespaces = Iproute.ip("netns list").lines().toList();
    try (NetworkMaker machines =
        new NetworkMaker(
            100, Map.of("a", new LinkedMachine(A, 100), "b", new LinkedMachine("nonsense", 100)))) {
      assertThatThrownBy(machines::make)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("nonsense");
      // It also removes what a killed process left.
      assertThat(Iproute.ip("netns list").lines().toList()).isSubsetOf(namespaces);
    }
  }

  @Test
  void whatAKilledProcessLeftIsRemovedAndWhatALivingOneHasIsNot() throws Exception {
    MachineNetwork left = new NetworkMaker(GONE, 100, two(100)).make();
    Process running = pour(left, "a", "take", A);
    try (NetworkMaker first = new NetworkMaker(100, two(100));
        NetworkMaker second =
            new NetworkMaker(new NetworkOwner(ProcessHandle.current().pid(), 1), 100, two(100))) {
      MachineNetwork living = first.make();
      assertThat(running.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(Iproute.ip("netns list")).doesNotContain(left.prefix()).contains(living.prefix());
      second.make();
      assertThat(Iproute.ip("netns list")).contains(living.prefix());
    }
  }

  /** Runs until it says that it is ready. */
  private static Process pour(MachineNetwork network, String machine, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(network.on(machine));
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Pour.class.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out = process.inputReader();
    assertThat(out.readLine()).isEqualTo("ready");
    return process;
  }
}
