package org.salus.sim;

import org.salus.core.log.LogRules;
import org.salus.core.member.MemberRules;
import org.salus.core.member.RegionMember;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.MountRules;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.session.SessionRules;
import org.salus.sim.parts.MemberMaker;

/**
 * The rules that the parts of a run follow. Tests plant bugs here.
 *
 * @param members makes members
 * @param sessions the rules of sessions
 * @param mounts the rules of leases and of mounting again
 * @param losses the rules of the record of what is lost
 * @param readers the rules of readers of log replicas, and of the NameNode
 * @param epochs the rules of the chain of epochs
 * @param keepers the rules of the master's keepers of regions
 */
public record SimRules(
    MemberMaker members,
    SessionRules sessions,
    MountRules mounts,
    LossRules losses,
    LogRules readers,
    EpochRules epochs,
    KeeperRules keepers) {

  /** The product's. */
  static final SimRules PAPER =
      new SimRules(
          RegionMember::new,
          SessionRules.PAPER,
          MountRules.PAPER,
          LossRules.PAPER,
          LogRules.PAPER,
          EpochRules.PAPER,
          KeeperRules.PAPER);

  SimRules with(MemberMaker f) {
    return new SimRules(f, sessions, mounts, losses, readers, epochs, keepers);
  }

  SimRules with(MemberRules rules) {
    return with(
        (spec, seat, signer, config) -> new RegionMember(spec, seat, signer, config, rules));
  }

  SimRules with(SessionRules rules) {
    return new SimRules(members, rules, mounts, losses, readers, epochs, keepers);
  }

  SimRules with(MountRules rules) {
    return new SimRules(members, sessions, rules, losses, readers, epochs, keepers);
  }

  SimRules with(LossRules rules) {
    return new SimRules(members, sessions, mounts, rules, readers, epochs, keepers);
  }

  SimRules with(LogRules rules) {
    return new SimRules(members, sessions, mounts, losses, rules, epochs, keepers);
  }

  SimRules with(EpochRules rules) {
    return new SimRules(members, sessions, mounts, losses, readers, rules, keepers);
  }

  SimRules with(KeeperRules rules) {
    return new SimRules(members, sessions, mounts, losses, readers, epochs, rules);
  }
}
