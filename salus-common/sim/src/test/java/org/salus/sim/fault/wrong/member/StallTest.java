package org.salus.sim.fault.wrong.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.Opening;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Wrote;
import org.salus.sim.FaultPlan;
import org.salus.sim.Seeds;
import org.salus.sim.SimOptions;
import org.salus.sim.Simulation;

/**
 * A node lives but never does its part in agreement. The regions soon go on without it, whatever
 * its place in the chain.
 */
@Tag("long")
class StallTest {
  private static final int SEEDS = Integer.getInteger("salus.sim.stalls", 40);

  /**
   * The most virtual time of a request in most runs, with production's settings, in nanoseconds.
   */
  private static final long USUAL_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** The most virtual time of a request in any run, in nanoseconds. */
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(300);

  /**
   * Of so many runs one may take longer than {@code USUAL_NANOS}. A wrong member that complains of
   * right ones can make the master leave those out first; in one run of 600 it gains that much
   * time.
   */
  private static final int RUNS_PER_SLOW_ONE = 20;

  private interface Make {
    WrongMember make(WrongMember.Given given, Random random);
  }

  /** Never sends some kinds of messages. */
  private static final class Keeps extends WrongMember {
    private final List<Class<? extends Message>> kept;

    Keeps(Given given, Random random, List<Class<? extends Message>> kept) {
      super(given, random);
      this.kept = kept;
    }

    @Override
    protected void instead(MemberEffect e, List<MemberEffect> out) {
      if (!(e instanceof Send s && (kept.isEmpty() || kept.contains(s.message().getClass())))) {
        out.add(e);
      }
    }
  }

  /** Forwards altered records under its own signature instead of those that it got. */
  private static final class AltersAll extends WrongMember {
    private final boolean everywhere;

    /**
     * @param everywhere whether it also does so when it is not the first in the chain
     */
    AltersAll(Given given, Random random, boolean everywhere) {
      super(given, random);
      this.everywhere = everywhere;
    }

    @Override
    protected void instead(MemberEffect e, List<MemberEffect> out) {
      LogRecord r = forwarded(e);
      if (r == null || r.payloadLength() == 0 || !everywhere && seat.place() > 0) {
        out.add(e);
        return;
      }
      Send s = (Send) e;
      ByteBuffer altered = flipped(s.payload(), random);
      LogRecord other = changed(r, r.at(), LogRecord.crc(altered), r.content());
      out.add(forward(s, other, altered));
    }
  }

  private static Arguments keeps(String what, List<Class<? extends Message>> kept) {
    return wrong(what, (given, random) -> new Keeps(given, random, kept));
  }

  private static Arguments wrong(String what, Make how) {
    return Arguments.of(what, how);
  }

  static Stream<Arguments> ways() {
    return Stream.of(
        keeps("sends nothing", List.of()),
        keeps(
            "signs, forwards and votes nothing",
            List.of(Chain.class, Certified.class, Vote.class, Commit.class)),
        keeps("does nothing to open an epoch", List.of(LogEnds.class, Opening.class)),
        keeps("keeps certificates", List.of(Certified.class)),
        keeps("keeps commits", List.of(Commit.class)),
        keeps("does not say what it has written", List.of(Wrote.class)),
        wrong("forwards wrong bytes", WrongBytes::new),
        wrong("alters all data", (given, random) -> new AltersAll(given, random, true)),
        wrong("misplaces PUTs", MisplacesPuts::new),
        wrong("refuses", Refuses::new),
        wrong("lies at mounts", LiesAtMount::new));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void everyRequestCompletesInTime(String what, Make how) throws InterruptedException {
    assertThat(exclusions(what, how))
        .as("how regions went on without a node that " + what)
        .isNotEmpty();
  }

  /** The next member in the chain has the proof and need not wait. */
  @Test
  void whoForgesAtTheHeadIsLeftOutAtOnce() throws InterruptedException {
    assertThat(
            exclusions(
                "alters all data, where it is the first",
                (given, random) -> new AltersAll(given, random, false)))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).contains("has signed a wrong PUT"));
  }

  /** Runs with a wrong node1. Fails if requests took too long. */
  private static Queue<String> exclusions(String what, Make how) throws InterruptedException {
    Queue<String> excluded = new ConcurrentLinkedQueue<>();
    Queue<String> slow = new ConcurrentLinkedQueue<>();
    Seeds.each(
        "a node that " + what,
        SEEDS,
        seed -> {
          Random random = new Random(seed);
          SimOptions options =
              SimOptions.standard()
                  .asDeployed()
                  .withFaults(FaultPlan.only("ClientCrash"))
                  .withFaulty(
                      Set.of("node1"),
                      (spec, seat, signer, config) ->
                          how.make(new WrongMember.Given(spec, seat, signer, config), random));
          Simulation run =
              new Simulation(
                  seed,
                  options.withTrace(
                      line -> {
                        if (line.contains("goes on without node1")) {
                          excluded.add(line);
                        }
                      }));
          run.run();
          assertThat(run.slowest())
              .as("nanoseconds that the slowest request took")
              .isLessThan(LIMIT_NANOS);
          if (run.slowest() > USUAL_NANOS) {
            slow.add("seed " + seed + ": " + run.slowest() + " ns");
          }
        });
    assertThat(slow)
        .as("runs in which a request took longer than " + USUAL_NANOS + " ns")
        .hasSizeLessThanOrEqualTo(Math.max(1, SEEDS / RUNS_PER_SLOW_ONE));
    return excluded;
  }
}
