package org.salus.sim.fault.wrong;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.effect.Effect;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.Opening;
import org.salus.core.message.Message.Vote;
import org.salus.sim.Seeds;
import org.salus.sim.SimOptions;
import org.salus.sim.Simulation;
import org.salus.sim.fault.Plan;

/** A node that never does its part in agreement, and lives: the regions go on without it, wherever in the chain it is. */
class StallTest {
  /** In one of eight, at least, a region goes on without the node. */
  private static final int SEEDS = Integer.getInteger("salus.sim.stalls", 80);

  private interface Make {
    WrongMember make(WrongMember.Seat seat, Random random);
  }

  /** Keeps some messages to itself. */
  private static final class Keeps extends WrongMember {
    private final List<Class<? extends Message>> kept;

    Keeps(Seat seat, Random random, List<Class<? extends Message>> kept) {
      super(seat, random);
      this.kept = kept;
    }

    @Override
    void instead(Effect e, List<Effect> out) {
      if (!(e instanceof Effect.Send s && (kept.isEmpty() || kept.contains(s.message().getClass())))) {
        out.add(e);
      }
    }
  }

  private static Arguments keeps(String what, List<Class<? extends Message>> kept) {
    return wrong(what, (seat, random) -> new Keeps(seat, random, kept));
  }

  private static Arguments wrong(String what, Make how) {
    return Arguments.of(what, how);
  }

  static Stream<Arguments> ways() {
    return Stream.of(
        keeps("sends nothing", List.of()), keeps("signs, forwards and votes nothing", List.of(Chain.class, Certified.class, Vote.class, Commit.class)),
        keeps("does nothing to open an epoch", List.of(LogEnds.class, Opening.class)), keeps("keeps certificates", List.of(Certified.class)), keeps("keeps commits", List.of(Commit.class)),
        wrong("forwards wrong bytes", WrongBytes::new), wrong("refuses", Refuses::new),
        wrong("lies at mounts", LiesAtMount::new));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void everyRequestCompletes(String what, Make how) throws InterruptedException {
    Queue<String> excluded = new ConcurrentLinkedQueue<>();
    Seeds.each("a node that " + what, SEEDS, seed -> {
      Random random = new Random(seed);
      SimOptions options = SimOptions.standard().withFaults(Plan.only("ClientCrash")).withFaulty("node1",
          (spec, region, epoch, members, place, signer, config) ->
              how.make(new WrongMember.Seat(spec, region, epoch, members, place, signer, config), random));
      new Simulation(seed, options.withTrace(line -> {
        if (line.contains("goes on without node1")) {
          excluded.add(line);
        }
      })).run();
    });
    assertThat(excluded).as("how regions went on without a node that " + what).isNotEmpty();
  }
}
