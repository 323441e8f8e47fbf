package org.salus.core.replacement;

import java.util.List;
import java.util.Map;

/**
 * The knowledge of a {@link MemberChoice} about the epochs since a region last served (paper
 * §4.2.2). It is kept with the region's record, so that a new master goes on where the one before
 * stopped. Immutable.
 *
 * @param epoch the last epoch that has ended
 * @param served the last one before it that served
 * @param suspect the member that was to blame for the end of {@code epoch}, or empty
 * @param failures how often nodes have failed the region since it last served
 * @param guesses how often nodes were blamed for an epoch that did not open
 * @param two the two others when a member last differed from two; else empty
 * @param guessed whether a member was named without proof since the region last served
 * @param inVain the number of epochs that ended for a guess since the region last served
 * @param disagreed whether members answered a mount differently since the region last served
 * @param differed whether members differed since the region last served
 */
public record Suspicions(
    int epoch,
    int served,
    String suspect,
    Map<String, Integer> failures,
    Map<String, Integer> guesses,
    List<String> two,
    boolean guessed,
    int inVain,
    boolean disagreed,
    boolean differed) {

  /** No epoch has ended yet. */
  public static final Suspicions NONE =
      new Suspicions(0, 0, "", Map.of(), Map.of(), List.of(), false, 0, false, false);

  /** Copies the maps and the list. */
  public Suspicions {
    suspect = suspect == null ? "" : suspect;
    failures = Map.copyOf(failures);
    guesses = Map.copyOf(guesses);
    two = List.copyOf(two);
  }
}
