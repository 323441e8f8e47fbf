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
 * Chooses the members of one region's next epoch (paper §4.2.2, §4.4 phase 1). It goes by the
 * causes for which the epochs ended since the region last served. Not thread-safe.
 *
 * <p>A suspect is left out of the next epoch only. It stays a holder until another epoch serves,
 * because nobody has proved that the other members are right.
 */
public final class MemberChoice {
  /**
   * The failures after which a holder is no longer trusted. The first fault may have passed, and
   * each copy of the data counts.
   */
  private static final int MOST_FAILURES = 2;

  /** The number of guesses in vain after which holders are tried one by one. */
  private static final int MOST_GUESSES = 3;

  /** The number of failures, by node. If two of three fail for good, the region needs the third. */
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

  /** Goes on with the suspicions that were kept when the last epoch ended. */
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

  /** The suspicions by now, to be kept with the region's record. */
  public Suspicions suspicions() {
    return new Suspicions(
        epoch, served, suspect, failures, guesses, two, guessed, inVain, disagreed, differed);
  }

  /**
   * Notes that an epoch has ended. Only the first named suspect of an epoch counts.
   *
   * @param lastServed the last epoch that served
   * @param members the members of the epoch that has ended
   * @param named the suspect, or empty
   */
  public void ended(int ended, int lastServed, List<String> members, Cause cause, String named) {
    if (ended < epoch || ended == epoch && !suspect.isEmpty() || cause == Cause.UNPROVEN) {
      return; // an epoch that waits says nothing of its members
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
            // one member's word against the other's
            || cause == Cause.DIFFERED && members.size() < 3;
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
   * The member to leave out if one differs from two others. At first, that is the one. But two may
   * be wrong in the same way, and would put out right members until they are alone. So if another
   * member differs from the same two, or the same one again, one of the two goes. Then at most one
   * is wrong of the remaining one and two more.
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
   * Guesses which member keeps an epoch from opening, if nobody knows. It returns another one each
   * time, M0 first.
   */
  public String guess(List<String> members) {
    String guess = Collections.min(members, Comparator.comparing(n -> guesses.getOrDefault(n, 0)));
    guesses.merge(guess, 1, Integer::sum);
    return guess;
  }

  /**
   * Chooses the next epoch's members, at most three. Four rules go beyond leaving out the suspect:
   *
   * <ul>
   *   <li>After a guess, no holder goes on alone while another one is left out. A joiner looks at
   *       what the left-out one has (see {@link org.salus.core.scan.LogScan}). If no server can
   *       join, that one must stay.
   *   <li>If members differed, there are three at once, if possible. Otherwise the only copy might
   *       be one that two wrong members have certified alone.
   *   <li>If members answered a mount differently, nobody is left out unless there are three.
   *       Otherwise two that are wrong alike would prevail.
   *   <li>If guesses have not helped, two holders may be wrong and put the third out again and
   *       again. Then each is tried with joiners only.
   * </ul>
   *
   * @param holders the holders that run; without one the region must wait
   * @param spares the servers that can join, best first; read only as far as needed
   * @param wanted the number of members to have if there are enough spares; all trusted holders are
   *     members anyway
   * @param min the least number of members, even with holders that are not trusted; fewer only if
   *     there are not enough
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

  /** One holder, another after each guess in vain, and servers that are no holders. */
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
