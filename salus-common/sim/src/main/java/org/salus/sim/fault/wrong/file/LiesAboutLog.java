package org.salus.sim.fault.wrong.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogBefore;
import org.salus.core.log.SegmentEnd;
import org.salus.core.scan.LogScan;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that reports its log's segments as shorter or longer than they are, or not at all.
 * As M0 it also makes up the missing bytes.
 */
public final class LiesAboutLog extends WrongMember {

  public LiesAboutLog(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
  }

  @Override
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    return super.onScanned(
        new LogScan.Found(
            told(found.ends()), told(found.elsewhere()), found.proven(), LogBefore.NONE),
        now);
  }

  private List<SegmentEnd> told(List<SegmentEnd> found) {
    List<SegmentEnd> told = new ArrayList<>();
    for (SegmentEnd s : found) {
      switch (random.nextInt(4)) {
        case 0 -> {}
        case 2 -> told.add(new SegmentEnd(s.segment(), Math.max(0, s.length() - 100)));
        case 3 -> told.add(new SegmentEnd(s.segment(), s.length() + 1 + random.nextInt(100)));
        default -> told.add(s);
      }
    }
    return told;
  }
}
