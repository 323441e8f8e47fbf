package org.salus.core.replacement;

import java.util.List;

/**
 * In what way an epoch takes the place of the one that served before (paper §2.1, §4.2.2). Whoever
 * has everything that was acknowledged is a holder. If all holders that can be wrong are members,
 * and right ones are away, the epoch could lose what the right ones have.
 *
 * @param holders the number of holders; 0 if nothing can have been acknowledged before
 * @param staying how many of them are members of this epoch
 * @param waived whether the master takes the others for gone: it has waited for them long enough
 */
public record Succession(int holders, int staying, boolean waived) {
  /** Nothing was there before. */
  public static final Succession FIRST = new Succession(0, 0, false);

  static Succession of(EpochLink link) {
    List<String> holders = link.served() == 0 ? List.of() : link.holderNodes();
    int staying = (int) holders.stream().filter(link.nodes()::contains).count();
    return new Succession(holders.size(), staying, link.waives());
  }

  /** Whether every holder is a member. */
  public boolean isWhole() {
    return staying == holders;
  }
}
