package org.salus.sim;

import java.util.Set;
import java.util.function.Consumer;
import org.salus.core.log.LogRules;
import org.salus.core.member.MemberRules;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.MountRules;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.session.SessionRules;
import org.salus.sim.parts.MemberMaker;

/**
 * The parameters of a run besides its seed.
 *
 * @param requests application requests before the faults stop
 * @param chaos whether faults are injected
 * @param beyond whether faults may exceed the promise; only P8 is then checked
 * @param rules what the parts of the run follow
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
    SimRules rules,
    FaultPlan.Drawing faults,
    Set<String> faulty,
    boolean deployed,
    Consumer<String> trace) {

  /** The product's classes under faults within the promise. */
  public static SimOptions standard() {
    return new SimOptions(150, true, false, SimRules.PAPER, FaultPlan::draw, Set.of(), false, null);
  }

  /** Like {@link #standard}, but only with planned faults. */
  public static SimOptions calm() {
    return new SimOptions(
        300, false, false, SimRules.PAPER, FaultPlan::draw, Set.of(), false, null);
  }

  /** These options, with more faults than the promise covers. */
  public SimOptions beyondPromise() {
    return new SimOptions(requests, chaos, true, rules, faults, faulty, deployed, trace);
  }

  public SimOptions withRequests(int n) {
    return new SimOptions(n, chaos, beyond, rules, faults, faulty, deployed, trace);
  }

  public SimOptions withTrace(Consumer<String> to) {
    return new SimOptions(requests, chaos, beyond, rules, faults, faulty, deployed, to);
  }

  /** These options, with the product's rules. */
  public SimOptions withoutBugs() {
    return with(SimRules.PAPER);
  }

  private SimOptions with(SimRules other) {
    return new SimOptions(requests, chaos, beyond, other, faults, faulty, deployed, trace);
  }

  public SimOptions withMembers(MemberMaker f) {
    return with(rules.with(f));
  }

  /** These options, with members that follow these rules. */
  public SimOptions withMembers(MemberRules members) {
    return with(rules.with(members));
  }

  public SimOptions withSessions(SessionRules sessions) {
    return with(rules.with(sessions));
  }

  public SimOptions withMounts(MountRules mounts) {
    return with(rules.with(mounts));
  }

  public SimOptions withLosses(LossRules losses) {
    return with(rules.with(losses));
  }

  public SimOptions withReaders(LogRules readers) {
    return with(rules.with(readers));
  }

  public SimOptions withEpochs(EpochRules epochs) {
    return with(rules.with(epochs));
  }

  public SimOptions withKeepers(KeeperRules keepers) {
    return with(rules.with(keepers));
  }

  public SimOptions withFaults(FaultPlan.Drawing f) {
    return new SimOptions(requests, chaos, beyond, rules, f, faulty, deployed, trace);
  }

  /** These options, with the times and links of production, to measure how long something takes. */
  public SimOptions asDeployed() {
    return new SimOptions(requests, chaos, beyond, rules, faults, faulty, true, trace);
  }

  /** These options, with members on these nodes that {@code f} makes. */
  public SimOptions withFaulty(Set<String> nodes, MemberMaker f) {
    MemberMaker right = rules.members();
    MemberMaker mixed =
        (spec, seat, signer, config) ->
            (nodes.contains(seat.name()) ? f : right).make(spec, seat, signer, config);
    return new SimOptions(
        requests, chaos, beyond, rules.with(mixed), faults, nodes, deployed, trace);
  }
}
