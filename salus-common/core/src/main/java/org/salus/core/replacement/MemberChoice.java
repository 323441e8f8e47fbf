package org.salus.core.replacement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.salus.core.Lanes;

/**
 * Chooses the members of one region's next epoch, from what the epochs since it last served ended
 * for. Not thread-safe.
 *
 * <p>Whoever is suspected is left out of the next epoch only: it stays a holder of the data until
 * another epoch serves, for nobody has proved that those who go on are right.
 */
public final class MemberChoice {
  /**
   * So often a holder may fail: what was wrong the first time may have passed, and each copy of the
   * data counts.
   */
  private static final int MOST_FAILURES = 2;

  /** After so many guesses in vain, holders are tried one by one. */
  private static final int MOST_GUESSES = 3;

  /** Where two of three fail for good, the region needs the third: so they are counted. */
  private final Map<String, Integer> failures;

  private final Map<String, Integer> guesses;
  private List<String> two;
  private int served;
  private int epoch;
  private String suspect;
  private boolean guessed;
  private int inVain;
  private boolean disagreed;
  private boolean differed;

  /** Goes on with what was known when the last epoch ended. */
  public MemberChoice(Suspicions known) {
    this.failures = new TreeMap<>(known.failures());
    this.guesses = new TreeMap<>(known.guesses());
    this.two = known.two();
    this.served = known.served();
    this.epoch = known.epoch();
    this.suspect = known.suspect();
    this.guessed = known.guessed();
    this.inVain = known.inVain();
    this.disagreed = known.disagreed();
    this.differed = known.differed();
  }

  /** What is known by now. */
  public Suspicions suspicions() {
    return new Suspicions(
        epoch, served, suspect, failures, guesses, two, guessed, inVain, disagreed, differed);
  }

  /**
   * An epoch has ended. What is said again of one changes nothing.
   *
   * @param lastServed the last epoch that served
   * @param members of the epoch
   * @param named the member that is to blame, or empty
   */
  public void ended(int ended, int lastServed, List<String> members, Cause cause, String named) {
    if (ended < epoch || ended == epoch && !suspect.isEmpty()) {
      return;
    }
    if (lastServed != served) {
      failures.clear();
      guessed = false;
      inVain = 0;
      differed = false;
      disagreed = false;
      served = lastServed;
    }
    epoch = ended;
    guessed |=
        cause == Cause.STALLED
            || cause == Cause.OPERATOR
            || cause == Cause.DIFFERED && members.size() < 3; // one word against another
    inVain += cause == Cause.STALLED ? 1 : 0;
    differed |= cause == Cause.DIFFERED || cause == Cause.DISAGREED;
    disagreed |= cause == Cause.DISAGREED;
    suspect =
        (cause == Cause.DIFFERED || cause == Cause.DISAGREED) && !named.isEmpty()
            ? outvoted(members, named)
            : named;
    if (!suspect.isEmpty() && cause != Cause.OPERATOR) {
      failures.merge(suspect, 1, Integer::sum);
    }
  }

  /**
   * Whom to leave out when a member differs from two others: the one, at first. But two may be
   * wrong in the same way, and would put out whoever is right until they are alone. So when
   * somebody differs from the same two again, one of these goes, and of the other and two more at
   * most one is wrong.
   */
  private String outvoted(List<String> members, String odd) {
    List<String> others = members.stream().filter(n -> !n.equals(odd)).sorted().toList();
    boolean again = others.equals(two) && others.size() > 1;
    two = again ? List.of() : others;
    return again ? others.get(0) : odd;
  }

  /** The member that the next epoch is without, if it can be, or empty. */
  public String suspect() {
    return suspect;
  }

  /**
   * An epoch does not open: some member does not do its part, and nobody knows which. Returns
   * another one each time, M0 first.
   */
  public String guess(List<String> members) {
    String guess = Collections.min(members, Comparator.comparing(n -> guesses.getOrDefault(n, 0)));
    guesses.merge(guess, 1, Integer::sum);
    return guess;
  }

  /**
   * The next epoch's members, at most three. No holder goes on alone when there was a guess and
   * another one is left out: a server that joins looks at what that one has (see {@link
   * org.salus.core.log.LogScan}), and where none can join it has to stay. Where members differed
   * there are three at once, if there can be: what two had certified alone might be wrong, and be
   * all that is kept. Where they answered a mount differently nobody is left out unless there are
   * three: two that are wrong alike would have it their way. Where guesses have not helped, two
   * holders may be wrong, and put the third out again and again: then each is tried with others
   * only.
   *
   * @param holders those that run and have all of the region's data; without one the region has to
   *     wait
   * @param spares others that can join, best first; read as far as they are needed
   * @param wanted so many, if there are enough spares, and all holders that can be trusted
   * @param min so many at least, rather with holders that cannot; fewer if there are not more
   */
  public List<String> members(
      List<String> holders, Supplier<Stream<String>> spares, int wanted, int min) {
    if (inVain >= MOST_GUESSES && !holders.isEmpty()) {
      List<String> one = oneHolder(holders, spares);
      if (one.size() >= Math.max(2, min)) {
        return one;
      }
    }
    List<String> others = holders.stream().filter(n -> !n.equals(suspect)).toList();
    if (others.stream().allMatch(n -> failures.getOrDefault(n, 0) >= MOST_FAILURES)) {
      failures.clear();
    }
    List<String> trusted =
        others.stream().filter(n -> failures.getOrDefault(n, 0) < MOST_FAILURES).toList();
    int least =
        disagreed
            ? Lanes.COUNT
            : guessed && trusted.size() < holders.size() ? Math.max(2, min) : min;
    int enough = differed ? Lanes.COUNT : wanted;
    List<String> members =
        filled(trusted.isEmpty() ? holders : trusted, spares, Math.max(least, enough));
    return members.size() < least ? filled(holders, spares, enough) : members;
  }

  /** A holder, another one after each guess, and servers that are none. */
  private List<String> oneHolder(List<String> holders, Supplier<Stream<String>> spares) {
    return filled(
        List.of(holders.get(inVain % holders.size())),
        () -> spares.get().filter(n -> !holders.contains(n)),
        Lanes.COUNT);
  }

  private static List<String> filled(
      List<String> nodes, Supplier<Stream<String>> spares, int wanted) {
    List<String> all = new ArrayList<>(nodes);
    spares
        .get()
        .filter(n -> !nodes.contains(n))
        .limit(Math.max(0, wanted - nodes.size()))
        .forEach(all::add);
    return all;
  }
}
