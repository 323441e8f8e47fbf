package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * The members of a region, in chain order, in an epoch: one to three. Immutable.
 *
 * @param holders nodes that have all of the region's data: the members of the last epoch that served, before this one
 * @param suspect the node without which the next epoch had better be, or empty
 * @param note why the epoch is what it is, in words
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record RrsRecord(int epoch, List<Member> members, List<String> holders, State state, String suspect, String note) {

  /**
   * <pre>
   * OPENING --M0: the log is agreed on and replayed--> SERVING
   * OPENING --M0: no room for its first segment------> FULL ----there is room----> SERVING
   * any     --a member can go on no more-------------> BROKEN --master: next epoch--> OPENING
   * </pre>
   */
  public enum State { OPENING, SERVING, FULL, BROKEN }

  /**
   * One member.
   *
   * @param node the server's name
   * @param startCode of the process that is the member: one that started later knows nothing of this epoch
   * @param dataNode {@code ip:port} of its DataNode
   */
  public record Member(String node, long startCode, String dataNode) {}

  /** Copies the members. */
  public RrsRecord {
    members = List.copyOf(members);
    holders = List.copyOf(holders);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("an epoch without members");
    }
  }

  /** The members' names in chain order. */
  public List<String> nodes() {
    return members.stream().map(Member::node).toList();
  }

  /** The same epoch, which serves now: its members have all data. The note stays. */
  public RrsRecord serving() {
    return new RrsRecord(epoch, members, nodes(), State.SERVING, "", note);
  }

  /** The same epoch, which cannot go on, or not now. */
  public RrsRecord with(State next, String newSuspect, String why) {
    return new RrsRecord(epoch, members, holders, next, newSuspect, why);
  }
}
