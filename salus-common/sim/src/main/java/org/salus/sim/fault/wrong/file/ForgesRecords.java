package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that writes its region's record in ZooKeeper: an epoch of its own, another member,
 * an old record, a state that is not true, or none at all. It tells the NameNode that its epoch
 * serves while it still opens, and shows it old epochs again. It throws its own replicas away, so
 * that nobody is to have them.
 */
public final class ForgesRecords extends WrongMember {
  /** It does so at one of so many effects. */
  private static final int SELDOM = 12;

  private final Levers levers;

  public ForgesRecords(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  /** The word of this member alone. */
  private WrittenManifest proof() {
    LogRecord r =
        new LogRecord(
            LogRecord.Type.MANIFEST,
            seat.region(),
            seat.epoch(),
            new Position(1, 0),
            new LogState().manifest(seat.members(), List.of()).encode());
    return new WrittenManifest(
        r.permission(List.of(signer.sign(seat.name(), r.headerBuffer()))),
        List.of(WrittenManifest.word(r, seat.name(), signer)));
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    if (e instanceof MemberEffect.RecoverSegments) {
      levers.tellNameNode(seat.region(), EpochRegister.serves(proof()));
    }
    boolean isLater = e instanceof MemberEffect.Append || e instanceof MemberEffect.Tidy;
    boolean isOpening = e instanceof MemberEffect.AtNameNode || e instanceof MemberEffect.ScanLog;
    if (isLater && random.nextInt(SELDOM) == 0) {
      levers.repeatEpoch(seat.region());
    }
    if ((isOpening || isLater) && random.nextInt(SELDOM) == 0) {
      levers.forgeRecord(seat.name(), seat.region());
      if (random.nextBoolean()) {
        levers.logReplicas(seat.name()).forEach(r -> r.truncate(0));
      }
    }
  }
}
