package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Wrote;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that at some time keeps all certificates for itself. Once it has the manifest of
 * another segment, with a certificate that perhaps nobody else has, it completes and deletes files
 * with that, and throws its log away. Then nobody has what the NameNode takes for the log.
 */
public final class TidiesAlone extends WrongMember {
  private static final int SELDOM = 8;

  private final Levers levers;
  private boolean keeps;
  private boolean hasTidied;

  public TidiesAlone(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    boolean certifies = e instanceof Send s && s.message() instanceof Certified;
    keeps |= certifies && isLate((Certified) ((Send) e).message()) && random.nextInt(SELDOM) == 0;
    if (keeps && e instanceof Send s && s.message() instanceof Wrote word) {
      tidy(word, out);
    } else if (!keeps || !certifies) {
      out.add(e);
    }
  }

  /** Whether the other members may soon go on to the next segment without these certificates. */
  private boolean isLate(Certified c) {
    return c.offset() > spec.segmentBytes() / 2;
  }

  private void tidy(Wrote word, List<MemberEffect> out) {
    if (!hasTidied) {
      hasTidied = true;
      out.add(tidy(new WrittenManifest(figures().manifest(), List.of(word.word()))));
      levers.logReplicas(seat.name()).forEach(r -> r.truncate(0));
    }
  }
}
