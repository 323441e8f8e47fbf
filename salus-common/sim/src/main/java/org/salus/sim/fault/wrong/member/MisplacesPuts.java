package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;

/**
 * A wrong M0 that forwards a genuine PUT in the place of the one before, which it forwards
 * afterwards. So a right M1 says NO to it.
 */
public final class MisplacesPuts extends WrongMember {
  private Send held;

  public MisplacesPuts(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    LogRecord r = forwarded(e);
    boolean put = r != null && r.type() == LogRecord.Type.PUT && seat.place() == 0;
    if (put && held == null && random.nextInt(4) == 0) {
      held = (Send) e;
    } else if (put && held != null) {
      Send s = (Send) e;
      LogRecord moved = changed(r, forwarded(held).at(), r.payloadCrc(), r.content());
      out.add(forward(s, moved, s.payload()));
      out.add(held);
      held = null;
    } else {
      out.add(e);
    }
  }
}
