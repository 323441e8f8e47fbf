package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.MountBody;
import org.salus.core.log.Position;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SubBatch;
import org.salus.core.wire.MalformedException;

/** A wrong M0 that logs a mount that no session has asked for, and then a resolution. */
public final class ForgesMount extends WrongMember {

  public ForgesMount(Given given, Random random) {
    super(given, random);
  }

  private Position next;
  private long mountEpoch;

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    LogRecord r = forwarded(e);
    boolean mine = r != null && r.type() == LogRecord.Type.PUT && seat.place() == 0;
    if (mine && next != null) {
      out.add(
          forged(
              e,
              LogRecord.Type.RESOLVE,
              next,
              new ResolveBody(mountEpoch, 1 << 20, new byte[32]).encode()));
      next = null;
    } else if (mine && mountEpoch == 0 && random.nextInt(5) == 0) {
      mountEpoch = mountEpoch(r) + random.nextInt(2);
      Send s = forged(e, LogRecord.Type.MOUNT, r.at(), new MountBody(mountEpoch).encode());
      next = r.at().plus(forwarded(s).length(seat.members().size()));
      out.add(s);
    } else {
      out.add(e);
    }
  }

  private Send forged(MemberEffect e, LogRecord.Type type, Position at, byte[] content) {
    LogRecord record = new LogRecord(type, seat.region(), seat.epoch(), at, content);
    return forward((Send) e, record, null);
  }

  private static long mountEpoch(LogRecord put) {
    try {
      return SubBatch.decode(put.content()).mountEpoch();
    } catch (MalformedException impossible) {
      throw new IllegalStateException("it was read before", impossible);
    }
  }
}
