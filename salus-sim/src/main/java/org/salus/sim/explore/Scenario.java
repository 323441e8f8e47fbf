package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.salus.core.VolumeSpec;

/**
 * A small world and what may befall it.
 *
 * @param members of each epoch while there are servers enough: 1 to 3
 * @param spares servers that hold nothing at first; with one, an epoch that lost a member has it take the place
 * @param shared whether the regions share their servers
 * @param regions 1 or 2
 * @param synced the volume's durability
 * @param requests what the application asks for, all at once
 * @param faults what kinds of fault there are; one of them happens, at any point, or none
 * @param ordered whether messages of one connection arrive in order, as TCP has it
 */
public record Scenario(
    String name, String what, int regions, int members, int spares, boolean shared, boolean synced, List<Request> requests, Set<Fault> faults, boolean ordered) {

  /** Kinds of fault. */
  public enum Fault {
    /** A message is lost, comes twice, or comes late. */
    DROP, DOUBLE, DELAY,
    /** A message's payload is altered on the way. */
    ALTER,
    /** A member votes NO. */
    REFUSE,
    /** A time-out comes early. */
    TICK,
    /** A server dies for good; of its appends under way none, all or a torn one got to the disk; the master replaces its members. */
    CRASH,
    /** The session dies and another mounts the volume; or another mounts it beside the first. */
    CLIENT, TAKEOVER,
    /** The master opens the next epoch though nothing is wrong; or a member stands still meanwhile and goes on unaware. */
    REPLACE, PAUSE,
    /** All servers stop, power is cut (what is not synced is lost), all come back. */
    POWER
  }

  /** Blocks of a stripe: the first region has the blocks below, the second those from here on. */
  private static final int STRIPE = 128;

  /** The volume. */
  VolumeSpec spec() {
    return new VolumeSpec("explored", 7, VolumeSpec.MIN_BLOCK, (long) STRIPE * regions, regions, synced, VolumeSpec.MIN_SEGMENT);
  }

  int nodes() {
    return (shared ? members : members * regions) + spares;
  }

  Scenario withOrdered(boolean on) {
    return new Scenario(name, what, regions, members, spares, shared, synced, requests, faults, on);
  }

  Scenario withMembers(int n) {
    return new Scenario(name, what, regions, n, spares, shared, synced, requests, faults, ordered);
  }

  Scenario withFaults(Set<Fault> kinds) {
    return new Scenario(name, what, regions, members, spares, shared, synced, requests, kinds, ordered);
  }

  // ---- requests ----

  /** A write of the last block of the first region and the first of the second. */
  private static Request both(long id) {
    return new Request(id, 'w', STRIPE - 1, 2);
  }

  private static Request first(long id) {
    return new Request(id, 'w', STRIPE - 1, 1);
  }

  private static Request second(long id) {
    return new Request(id, 'w', STRIPE, 1);
  }

  private static Request read(long id) {
    return new Request(id, 'r', STRIPE - 1, 2);
  }

  // ---- the ones to run ----

  private static final Set<Fault> NETWORK = EnumSet.of(Fault.DROP, Fault.DOUBLE, Fault.DELAY, Fault.ALTER, Fault.REFUSE, Fault.TICK);

  /** Those that are run unless others are asked for: all of them, together, take minutes. */
  public static List<Scenario> standard() {
    List<Scenario> all = new ArrayList<>();
    all.add(new Scenario("pipeline", "two batches over two regions of three members, no fault",
        2, 3, 0, false, false, List.of(both(1), both(2)), Set.of(), true));
    all.add(new Scenario("network", "two batches over two regions of two members, faults of the network, refusals, early time-outs",
        2, 2, 0, false, false, List.of(both(1), both(2)), NETWORK, true));
    all.add(new Scenario("crash", "two batches over two regions of two members, a server dies and its member is replaced",
        2, 2, 1, false, false, List.of(both(1), both(2)), EnumSet.of(Fault.CRASH), true));
    all.add(new Scenario("replace", "two batches over two regions of one member, an epoch follows without need",
        2, 1, 0, false, false, List.of(both(1), both(2)), EnumSet.of(Fault.REPLACE), true));
    all.add(new Scenario("pause", "two batches over two regions of two members, one is replaced and goes on unaware",
        2, 2, 1, false, false, List.of(both(1), both(2)), EnumSet.of(Fault.PAUSE), true));
    all.add(new Scenario("client", "two batches over two regions of one member, the client dies or is taken over",
        2, 1, 0, false, false, List.of(both(1), both(2)), EnumSet.of(Fault.CLIENT, Fault.TAKEOVER), true));
    all.add(new Scenario("lanes", "one batch over two regions of three members, faults of the network",
        2, 3, 0, false, false, List.of(both(1)), NETWORK, true));
    all.add(new Scenario("power", "two batches over two regions of one member, a power cut at any point, synced",
        2, 1, 0, false, true, List.of(both(1), both(2)), EnumSet.of(Fault.POWER), true));
    all.add(new Scenario("handover", "batches led by one region and then by the other, two members, faults of the network",
        2, 2, 0, false, false, List.of(first(1), second(2)), NETWORK, true));
    all.add(new Scenario("reads", "a write, a read and a write of the same blocks, one member, every fault",
        2, 1, 1, false, false, List.of(both(1), read(2), both(3)), EnumSet.allOf(Fault.class), true));
    return all;
  }
}
