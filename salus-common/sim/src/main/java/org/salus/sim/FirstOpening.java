package org.salus.sim;

import java.util.List;
import org.salus.core.effect.Effect;
import org.salus.core.log.LogScan;
import org.salus.core.member.MemberEvents;

/**
 * Answers what a member asks for when its region opens for the first time: there is nothing on any
 * disk.
 */
public final class FirstOpening {
  private FirstOpening() {}

  /**
   * @param asked any effect that a host cannot leave without an answer; what else comes then is a
   *     bug
   */
  public static List<Effect> answer(MemberEvents member, Effect asked, long now) {
    if (asked instanceof Effect.ScanLog) {
      return member.onScanned(new LogScan.Found(List.of(), List.of(), List.of()), now);
    } else if (asked instanceof Effect.RecoverSegments) {
      return member.onRecovered(true, now);
    } else if (asked instanceof Effect.ReplayLog) {
      return member.onReplayed(now);
    } else if (asked instanceof Effect.LoadRoots) {
      return member.onRootsLoaded(now);
    }
    throw new IllegalStateException("a member cannot go on: " + asked);
  }
}
