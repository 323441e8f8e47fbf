package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.Permission.Deed;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that reads from the log, or from what it is shown as M0, the permission to create
 * the segment that is being written. With it, it asks the NameNode to give the segment's block
 * back, or to commit it at another length.
 */
public final class AbandonsBlocks extends WrongMember {
  private final Levers levers;
  private final RollReader rolls;

  /** The newest permission to create a segment, or null. */
  private byte[] permission;

  /** The segment that it creates. */
  private long segment;

  public AbandonsBlocks(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
    this.rolls = new RollReader(seat, signer);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    if (e instanceof MemberEffect.CreateSegment x) {
      note(new RollReader.Creation(x.segment(), x.permission()));
    } else if (e instanceof MemberEffect.Append a) {
      RollReader.Creation found = rolls.in(a);
      if (found != null) {
        note(found);
      }
      if (permission != null && a.at().segment() >= segment && random.nextInt(10) == 0) {
        Deed deed = random.nextBoolean() ? Deed.ABANDON : Deed.ADD_BLOCK;
        levers.askNameNode(
            seat.region(), deed, segment, random.nextInt((int) a.at().offset() + 1), permission);
      }
    }
  }

  private void note(RollReader.Creation c) {
    permission = c.permission();
    segment = c.segment();
  }
}
