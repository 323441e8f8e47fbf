package org.salus.core.replacement;

import java.util.List;
import java.util.stream.Stream;

/** What the keeper of a region ({@link RegionKeeper}) says in a region's record. */
final class KeeperWords {
  /** In a record's note, the words between the reason of an epoch's end and what it waits for. */
  static final String WAITS = "; it waits: ";

  /** In a record's note, the words before the reason why no server joins. */
  private static final String STAYS = "; it goes on with ";

  /** In a record's note, the words before the replicas that are not beside their members. */
  private static final String AWAY = "; away: ";

  private KeeperWords() {}

  /** Returns why an epoch ended, without the words about what its region waits for or lacks. */
  static String cause(String note) {
    int end =
        Stream.of(WAITS, STAYS, AWAY)
            .mapToInt(note::indexOf)
            .filter(i -> i >= 0)
            .min()
            .orElse(note.length());
    return note.substring(0, end);
  }

  /**
   * What is said of a region that serves with fewer members than it should have, or with members
   * that are not where they should be.
   */
  static String serving(RrsRecord rrs, Leaving leaving, ReplicaPlaces places) {
    String why = leaving.whyNoneJoins(rrs.nodes());
    String away = places.away(rrs.members());
    return cause(rrs.note())
        + (why.isEmpty()
            ? ""
            : STAYS
                + rrs.nodes()
                + (leaving.allRetire(rrs.nodes())
                    ? ", for one of them must go on: take one back: "
                    : ", for no other server can join: ")
                + why)
        + (away.isEmpty() ? "" : AWAY + away);
  }

  /** What a holder waits for that would go on alone while others are away, in words. */
  static String company(List<String> alone, RrsRecord rrs, KeeperTimes times) {
    return "only "
        + alone
        + " can be a member, and others of "
        + rrs.holders()
        + " may come back: start one of them or another server; after "
        + times.proof() / KeeperTimes.SECOND
        + " s without a user it goes on alone";
  }

  /**
   * What a region waits for that cannot go on, in words.
   *
   * @param having the holders that run with their DataNodes
   * @param able those of them that can be members
   * @param possible the servers that can be members
   * @param asked with how few members it may go on
   */
  static String whatFor(
      RrsRecord rrs,
      List<String> having,
      List<String> able,
      List<String> possible,
      Leaving leaving,
      RegionKeeper.Asked asked,
      KeeperTimes times) {
    if (having.isEmpty()) {
      return "none of "
          + rrs.holders()
          + " runs with its DataNode, which have its data: start one of them"
          + (rrs.holding().stream().anyMatch(leaving.cluster()::hasDataNode)
              ? "; after "
                  + times.rebuild() / KeeperTimes.SECOND
                  + " s other servers build it from what is on those DataNodes, if "
                  + asked.least()
                  + " can"
              : "");
    }
    return able.isEmpty()
        ? "HDFS places nothing where its data is, because "
            + leaving.words(having)
            + ": take one of them back"
        : "only "
            + possible
            + " can be members, and "
            + (asked.strict() ? "the strict volume" : "salus.rrs.min-members")
            + " asks for "
            + asked.least()
            + ": start more servers and their DataNodes"
            + (able.size() < having.size()
                ? ", or take one back, because " + leaving.words(having)
                : "");
  }
}
