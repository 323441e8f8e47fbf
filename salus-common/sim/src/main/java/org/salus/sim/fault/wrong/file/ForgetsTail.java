package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogBefore;
import org.salus.core.scan.LogScan;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that cuts its own replicas of the log before its epoch opens, and goes on as if
 * nothing had ever been behind. If no right holder is there, it takes joiners along.
 */
public final class ForgetsTail extends WrongMember {
  private final Levers levers;

  public ForgetsTail(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.ScanLog) {
      for (Levers.LogReplica replica : levers.logReplicas(seat.name())) {
        int length = replica.length();
        if (length > 0 && random.nextBoolean()) {
          replica.truncate(random.nextInt(length));
        }
      }
    }
    out.add(e);
  }

  @Override
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    return super.onScanned(
        new LogScan.Found(found.ends(), found.elsewhere(), List.of(), LogBefore.NONE), now);
  }
}
