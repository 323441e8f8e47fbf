package org.salus.sim.explore.automaton;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.sim.check.Checker;
import org.salus.sim.check.Freshness;
import org.salus.sim.check.OneChain;
import org.salus.sim.check.OrderedCommit;
import org.salus.sim.check.Prefix;
import org.salus.sim.check.SingleWriter;
import org.salus.sim.check.Unanimity;

/** A checker as an automaton. */
public final class CheckerAutomaton implements Automaton {

  /** The number of members that serve each region. */
  private static final class Sizes implements IntUnaryOperator {
    private final int[] members;

    Sizes(int regions) {
      members = new int[regions];
      Arrays.fill(members, Lanes.COUNT);
    }

    @Override
    public int applyAsInt(int region) {
      return members[region];
    }
  }

  private final List<Checker> checkers;
  private final Sizes sizes;

  private CheckerAutomaton(Sizes sizes, Checker... checkers) {
    this.sizes = sizes;
    this.checkers = List.of(checkers);
  }

  /** One automaton for each checker. */
  public static List<Supplier<Automaton>> all(int regions, boolean synced, Signer signer) {
    return List.of(
        () -> new CheckerAutomaton(null, new Prefix(synced)),
        () -> {
          Prefix prefix = new Prefix(synced);
          return new CheckerAutomaton(null, prefix, new Freshness(prefix));
        },
        () -> {
          Sizes sizes = new Sizes(regions);
          return new CheckerAutomaton(sizes, new OrderedCommit(sizes));
        },
        () -> new CheckerAutomaton(null, new Unanimity()),
        () -> new CheckerAutomaton(null, new SingleWriter()),
        () -> new CheckerAutomaton(null, new OneChain(signer)));
  }

  @Override
  public List<Object> apply(Object event) {
    Note n = (Note) event;
    if (sizes != null && n instanceof Note.Serving s) {
      sizes.members[s.region()] = s.members();
    }
    checkers.forEach(n::tell);
    return List.of();
  }
}
