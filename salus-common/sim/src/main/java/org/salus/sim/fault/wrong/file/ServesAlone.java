package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that keeps its word that it has its epoch's first manifest for itself, and the
 * manifest's certificate if nobody else has that. It has the NameNode count its epoch's replicas,
 * tells it that the epoch serves, and throws its log away. Then nobody has what the epoch has begun
 * with.
 */
public final class ServesAlone extends WrongMember {
  private final Levers levers;
  private boolean hasTold;

  public ServesAlone(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof Send s && s.message() instanceof Wrote word) {
      tell(word);
    } else if (!isKept(e)) {
      out.add(e);
    }
  }

  private static boolean isKept(MemberEffect e) {
    return e instanceof MemberEffect.RegisterEpoch
        || e instanceof Send s && s.message() instanceof Certified c && c.offset() == 0;
  }

  private void tell(Wrote word) {
    if (!hasTold) {
      hasTold = true;
      WrittenManifest proof = new WrittenManifest(figures().manifest(), List.of(word.word()));
      levers.count(seat.name(), seat.region(), proof);
      levers.tellNameNode(seat.region(), EpochRegister.serves(proof));
      levers.logReplicas(seat.name()).forEach(r -> r.truncate(0));
    }
  }
}
