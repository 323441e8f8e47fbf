package org.salus.core.replacement;

import java.util.List;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * In what way an epoch takes the place of the one that served before (paper §2.1, §4.2.2). Whoever
 * has everything that was acknowledged is a holder. If all holders that can be wrong are members,
 * and right ones are away, the epoch could lose what the right ones have.
 *
 * @param holders the number of holders; 0 if nothing can have been acknowledged before
 * @param staying how many of them are members of this epoch, with the same DataNode
 * @param waiver what the master knows of those that could say that nothing is missing
 */
public record Succession(int holders, int staying, Waiver waiver) {
  /** What the master says to the members, in the epoch's link. */
  public enum Waiver {
    /** The volume has a user, who speaks. */
    NONE,
    /** The volume has no user. Two holders have what the third has. */
    NO_USER,
    /** The holders that are away had long enough to come back. */
    TIME_IS_OVER
  }

  /** Nothing was there before. */
  public static final Succession FIRST = new Succession(0, 0, Waiver.NONE);

  static Succession of(EpochLink link) {
    List<Member> holders = link.served() == 0 ? List.of() : link.holders();
    int staying = (int) holders.stream().filter(h -> stays(h, link.members())).count();
    return new Succession(holders.size(), staying, link.waiver());
  }

  private static boolean stays(Member holder, List<Member> members) {
    return members.stream().anyMatch(m -> isSame(holder, m));
  }

  /** Whether a member has what the holder has: it is the same server with the same DataNode. */
  static boolean isSame(Member holder, Member m) {
    return m.node().equals(holder.node()) && m.dataNode().equals(holder.dataNode());
  }

  /** The same for a member that is a holder by its name, and has found that it lacks something. */
  public Succession withoutOne() {
    return new Succession(holders, Math.max(0, staying - 1), waiver);
  }

  /** Whether every holder is a member. */
  public boolean isWhole() {
    return staying == holders;
  }
}
