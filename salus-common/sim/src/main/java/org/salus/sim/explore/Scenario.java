package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.salus.core.VolumeSpec;
import org.salus.sim.explore.automaton.ScriptedRequest;

/**
 * A small world and the faults that it may have.
 *
 * @param members number of members of each epoch, 1 to 3, while there are enough servers
 * @param spares number of servers that hold nothing at first; one of them takes the place of a lost
 *     member
 * @param lone whether the second region has one member only
 * @param regions number of regions, 1 or 2
 * @param synced whether the volume is synced, not replicated
 * @param requests the application's requests, all issued at once
 * @param faults the kinds of fault of this scenario; one of them happens, at any point, or none
 * @param ordered whether messages of one connection arrive in order, as with TCP
 */
public record Scenario(
    String name,
    String what,
    int regions,
    int members,
    int spares,
    boolean lone,
    boolean synced,
    List<ScriptedRequest> requests,
    Set<ExploredFault> faults,
    boolean ordered) {

  /** Kinds of fault. */
  public enum ExploredFault {
    /** A message is lost, comes twice, or comes late. */
    DROP,
    DOUBLE,
    DELAY,
    /** One bit of a PUT's payload changes on its way. */
    ALTER,
    /** A member's YES becomes a NO. */
    REFUSE,
    /** The time-outs of one component come early. */
    TICK,
    /**
     * A server dies for good. Of its appends under way none, all or a torn one reached the disk.
     * The master replaces its members.
     */
    CRASH,
    /**
     * The session dies and another mounts the volume, or another mounts it while the first goes on.
     */
    CLIENT,
    TAKEOVER,
    /**
     * The master opens the next epoch though nothing is wrong, or a member stands still meanwhile
     * and goes on unaware.
     */
    REPLACE,
    PAUSE,
    /**
     * Power fails everywhere, the client's too. Any set of nodes loses what it has not synced. All
     * come back.
     */
    POWER,
    /**
     * All servers of a region die for good. Of their appends under way none, all or a torn one
     * reached the disks, and their DataNodes go on. Or all DataNodes but one are away, and that one
     * loses what it has not synced. Or all are away. Those that are away come back in the end.
     */
    LOSE_SERVERS,
    /** A wrong server writes a wrong record of a region into ZooKeeper. */
    FORGE,
    /** The master has another server join. */
    JOIN
  }

  /**
   * The number of blocks of a stripe. Blocks below it are in the first region, blocks from it on in
   * the second.
   */
  private static final int STRIPE = 128;

  /** The volume. */
  VolumeSpec spec() {
    return new VolumeSpec(
        "explored",
        7,
        VolumeSpec.MIN_BLOCK,
        (long) STRIPE * regions,
        regions,
        synced,
        VolumeSpec.MIN_SEGMENT);
  }

  int nodes() {
    return members * regions + spares;
  }

  /** The number of members with which a region begins. */
  int members(int region) {
    return lone && region > 0 ? 1 : members;
  }

  /** The least number of members of a region's epoch. The spares alone may have to be enough. */
  int minMembers(int region) {
    return faults.contains(ExploredFault.LOSE_SERVERS)
        ? Math.min(members(region), spares)
        : members(region);
  }

  /**
   * Whether what a session says to the members of a new epoch travels like any message. In worlds
   * of two regions it arrives at once, because they would be too large.
   */
  boolean wordsTravel() {
    return regions == 1;
  }

  public Scenario unordered() {
    return new Scenario(
        name, what, regions, members, spares, lone, synced, requests, faults, false);
  }

  public Scenario withMembers(int n) {
    return new Scenario(name, what, regions, n, spares, lone, synced, requests, faults, ordered);
  }

  public Scenario withFaults(Set<ExploredFault> kinds) {
    return new Scenario(
        name, what, regions, members, spares, lone, synced, requests, kinds, ordered);
  }

  // ---- requests ----

  /** A write of the last block of the first region's stripe and the first block of the second's. */
  private static ScriptedRequest both(long id) {
    return new ScriptedRequest(id, 'w', STRIPE - 1, 2);
  }

  private static ScriptedRequest first(long id) {
    return new ScriptedRequest(id, 'w', STRIPE - 1, 1);
  }

  private static ScriptedRequest second(long id) {
    return new ScriptedRequest(id, 'w', STRIPE, 1);
  }

  private static ScriptedRequest read(long id) {
    return new ScriptedRequest(id, 'r', STRIPE - 1, 2);
  }

  // ---- the ones to run ----

  private static final Set<ExploredFault> MESSAGES =
      EnumSet.of(
          ExploredFault.DROP,
          ExploredFault.DOUBLE,
          ExploredFault.DELAY,
          ExploredFault.ALTER,
          ExploredFault.REFUSE);
  private static final Set<ExploredFault> NETWORK =
      EnumSet.of(
          ExploredFault.DROP,
          ExploredFault.DOUBLE,
          ExploredFault.DELAY,
          ExploredFault.ALTER,
          ExploredFault.REFUSE,
          ExploredFault.TICK);
  private static final List<ScriptedRequest> TWO_OVER_BOTH = List.of(both(1), both(2));
  private static final List<ScriptedRequest> ONE_EACH = List.of(first(1), second(2));

  private static Scenario of(
      String name,
      int members,
      List<ScriptedRequest> requests,
      Set<ExploredFault> faults,
      String what) {
    boolean spare =
        faults.contains(ExploredFault.CRASH)
            || faults.contains(ExploredFault.PAUSE)
            || faults.contains(ExploredFault.FORGE)
            || faults.contains(ExploredFault.JOIN);
    int spares = faults.contains(ExploredFault.LOSE_SERVERS) ? 2 : spare ? 1 : 0;
    return new Scenario(name, what, 2, members, spares, false, false, requests, faults, true);
  }

  private Scenario withLone() {
    return new Scenario(
        name, what, regions, members, spares, true, synced, requests, faults, ordered);
  }

  private Scenario ofOneRegion() {
    return new Scenario(name, what, 1, members, spares, lone, synced, requests, faults, ordered);
  }

  private Scenario onDisk() {
    return new Scenario(
        name, what, regions, members, spares, lone, true, requests, faults, ordered);
  }

  /** The scenarios that run by default. Each is small enough to be explored whole. */
  public static List<Scenario> standard() {
    return List.of(
        of(
            "pipeline",
            3,
            TWO_OVER_BOTH,
            Set.of(),
            "two batches over two regions of three members, no fault"),
        of(
            "lanes",
            3,
            List.of(both(1)),
            MESSAGES,
            "one batch over two regions of three members, the network's faults but early time-outs"),
        of(
            "network",
            1,
            TWO_OVER_BOTH,
            NETWORK,
            "two batches over two regions of one member, the network's faults"),
        of(
            "handover",
            2,
            ONE_EACH,
            MESSAGES,
            "two batches, each of another region of two members, the network's faults but early time-outs"),
        of(
            "crash",
            2,
            List.of(both(1)),
            EnumSet.of(ExploredFault.CRASH),
            "one batch over two regions of two members, a server dies and is replaced"),
        of(
                "crashed",
                2,
                ONE_EACH,
                EnumSet.of(ExploredFault.CRASH),
                "two batches, one of a region of two members and one of a region of one, a server dies and is replaced")
            .withLone(),
        of(
                "pause",
                2,
                List.of(both(1)),
                EnumSet.of(ExploredFault.PAUSE),
                "one batch over a region of two members and one of one, one of the two is replaced and goes on unaware")
            .withLone(),
        of(
            "unaware",
            2,
            List.of(first(1), first(2)),
            EnumSet.of(ExploredFault.PAUSE),
            "two batches of a region of two members, one is replaced and goes on unaware"),
        of(
            "replace",
            1,
            TWO_OVER_BOTH,
            EnumSet.of(ExploredFault.REPLACE),
            "two batches over two regions of one member, an epoch follows without need"),
        of(
            "client",
            1,
            TWO_OVER_BOTH,
            EnumSet.of(ExploredFault.CLIENT, ExploredFault.TAKEOVER),
            "two batches over two regions of one member, the client dies or is taken over"),
        of(
            "mount",
            2,
            List.of(both(1)),
            EnumSet.of(ExploredFault.CLIENT),
            "one batch over two regions of two members, the client dies, another mounts"),
        of(
            "mounts",
            2,
            ONE_EACH,
            EnumSet.of(ExploredFault.CLIENT, ExploredFault.TAKEOVER),
            "two batches, each of another region of two members, the client dies or is taken over, another mounts"),
        of(
            "power",
            1,
            TWO_OVER_BOTH,
            EnumSet.of(ExploredFault.POWER),
            "two batches over two regions of one member, power fails"),
        of(
                "synced",
                1,
                TWO_OVER_BOTH,
                EnumSet.of(ExploredFault.POWER),
                "the same, of a synced volume")
            .onDisk(),
        of(
            "reads",
            1,
            List.of(first(1), read(2), first(3)),
            EnumSet.complementOf(
                EnumSet.of(
                    ExploredFault.POWER,
                    ExploredFault.LOSE_SERVERS,
                    ExploredFault.FORGE,
                    ExploredFault.JOIN)),
            "a write, a read and a write of the same block, one member, faults of one server at most"),
        of(
                "lost",
                3,
                List.of(first(1)),
                EnumSet.of(ExploredFault.LOSE_SERVERS),
                "one batch of a region of three members, all its servers die, two others build it from the DataNodes")
            .ofOneRegion(),
        of(
            "rebuilt",
            1,
            List.of(both(1)),
            EnumSet.of(ExploredFault.LOSE_SERVERS),
            "one batch over two regions of one member, the server of one dies, others build it from its DataNode"),
        of(
            "forged",
            2,
            List.of(both(1)),
            EnumSet.of(ExploredFault.FORGE),
            "one batch over two regions of two members, a wrong server writes a wrong record"),
        of(
                "join",
                1,
                List.of(first(1), first(2)),
                EnumSet.of(ExploredFault.JOIN),
                "two batches of a region of one member, another server joins")
            .ofOneRegion());
  }

  /** The standard scenarios, and larger ones that take long and much memory. */
  public static List<Scenario> all() {
    List<Scenario> all = new ArrayList<>(standard());
    all.add(
        of(
            "network2",
            2,
            TWO_OVER_BOTH,
            NETWORK,
            "two batches over two regions of two members, the network's faults"));
    all.add(
        of(
            "crash2",
            2,
            TWO_OVER_BOTH,
            EnumSet.of(ExploredFault.CRASH),
            "two batches over two regions of two members, a server dies and is replaced"));
    all.add(
        of(
            "crashed2",
            2,
            ONE_EACH,
            EnumSet.of(ExploredFault.CRASH),
            "two batches, each of another region of two members, a server dies and is replaced"));
    all.add(
        of(
            "paused2",
            2,
            List.of(both(1)),
            EnumSet.of(ExploredFault.PAUSE),
            "one batch over two regions of two members, one is replaced and goes on unaware"));
    all.add(
        of(
            "paused",
            2,
            ONE_EACH,
            EnumSet.of(ExploredFault.PAUSE),
            "two batches, each of another region of two members, one is replaced and goes on unaware"));
    all.add(
        of(
            "pause2",
            2,
            TWO_OVER_BOTH,
            EnumSet.of(ExploredFault.PAUSE),
            "two batches over two regions of two members, one is replaced and goes on unaware"));
    all.add(
        of(
            "crash3",
            3,
            ONE_EACH,
            EnumSet.of(ExploredFault.CRASH),
            "two batches, each of another region of three members, a server dies and is replaced"));
    return all;
  }
}
