package org.salus.sim;

import java.util.Set;
import java.util.function.Consumer;
import org.salus.core.log.LogRules;
import org.salus.core.member.MemberRules;
import org.salus.core.member.RegionMember;
import org.salus.core.mount.MountRules;
import org.salus.core.replacement.EpochRules;
import org.salus.core.session.SessionRules;
import org.salus.sim.parts.MemberMaker;

/**
 * The parameters of a run besides its seed.
 *
 * @param requests application requests before the faults stop
 * @param chaos whether faults are injected
 * @param beyond whether faults may exceed the promise; only P8 is then checked
 * @param members makes members; tests plant bugs here
 * @param sessions the rules of sessions; tests plant bugs here
 * @param mounts the rules of leases and of mounting again; tests plant bugs here
 * @param readers the rules of readers of log replicas, and of the NameNode; tests plant bugs here
 * @param epochs the rules of the chain of epochs; tests plant bugs here
 * @param faults draws the faults of a run
 * @param faulty the nodes whose members are not right
 * @param deployed whether members and sessions wait as long as in production and links are
 *     connections. Otherwise they are less patient, and messages overtake one another, so that more
 *     happens in less time
 * @param trace takes a line for each event, or null
 */
public record SimOptions(
    int requests,
    boolean chaos,
    boolean beyond,
    MemberMaker members,
    SessionRules sessions,
    MountRules mounts,
    LogRules readers,
    EpochRules epochs,
    FaultPlan.Drawing faults,
    Set<String> faulty,
    boolean deployed,
    Consumer<String> trace) {

  /** The product's classes under faults within the promise. */
  public static SimOptions standard() {
    return new SimOptions(
        150,
        true,
        false,
        RegionMember::new,
        SessionRules.PAPER,
        MountRules.PAPER,
        LogRules.PAPER,
        EpochRules.PAPER,
        FaultPlan::draw,
        Set.of(),
        false,
        null);
  }

  /** These options, with more faults than the promise covers. */
  public SimOptions beyondPromise() {
    return new SimOptions(
        requests, chaos, true, members, sessions, mounts, readers, epochs, faults, faulty, deployed,
        trace);
  }

  public SimOptions withRequests(int n) {
    return new SimOptions(
        n, chaos, beyond, members, sessions, mounts, readers, epochs, faults, faulty, deployed,
        trace);
  }

  /** Like {@link #standard}, but only with planned faults. */
  public static SimOptions calm() {
    return new SimOptions(
        300,
        false,
        false,
        RegionMember::new,
        SessionRules.PAPER,
        MountRules.PAPER,
        LogRules.PAPER,
        EpochRules.PAPER,
        FaultPlan::draw,
        Set.of(),
        false,
        null);
  }

  public SimOptions withTrace(Consumer<String> to) {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, mounts, readers, epochs, faults, faulty,
        deployed, to);
  }

  public SimOptions withMembers(MemberMaker f) {
    return new SimOptions(
        requests, chaos, beyond, f, sessions, mounts, readers, epochs, faults, faulty, deployed,
        trace);
  }

  /** These options, with members that follow these rules. */
  public SimOptions withMembers(MemberRules rules) {
    return withMembers(
        (spec, seat, signer, config) -> new RegionMember(spec, seat, signer, config, rules));
  }

  public SimOptions withSessions(SessionRules rules) {
    return new SimOptions(
        requests, chaos, beyond, members, rules, mounts, readers, epochs, faults, faulty, deployed,
        trace);
  }

  public SimOptions withMounts(MountRules rules) {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, rules, readers, epochs, faults, faulty,
        deployed, trace);
  }

  public SimOptions withReaders(LogRules rules) {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, mounts, rules, epochs, faults, faulty, deployed,
        trace);
  }

  public SimOptions withEpochs(EpochRules rules) {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, mounts, readers, rules, faults, faulty,
        deployed, trace);
  }

  public SimOptions withFaults(FaultPlan.Drawing f) {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, mounts, readers, epochs, f, faulty, deployed,
        trace);
  }

  /** These options, with the times and links of production, to measure how long something takes. */
  public SimOptions asDeployed() {
    return new SimOptions(
        requests, chaos, beyond, members, sessions, mounts, readers, epochs, faults, faulty, true,
        trace);
  }

  /** These options, with members on these nodes that {@code f} makes. */
  public SimOptions withFaulty(Set<String> nodes, MemberMaker f) {
    MemberMaker mixed =
        (spec, seat, signer, config) ->
            (nodes.contains(seat.name()) ? f : members).make(spec, seat, signer, config);
    return new SimOptions(
        requests, chaos, beyond, mixed, sessions, mounts, readers, epochs, faults, nodes, deployed,
        trace);
  }
}
