package org.salus.sim.fault.wrong.file;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.RollBody;
import org.salus.core.wire.MalformedException;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that reads from the log, or from what it is shown as M0, the permission to create
 * the segment that is being written. With it, it asks the NameNode to give the segment's block
 * back, or to commit it at another length.
 */
public final class AbandonsBlocks extends WrongMember {
  private final Levers levers;

  /** The newest permission to create a segment, or null. */
  private byte[] permission;

  /** The segment that it creates. */
  private long segment;

  public AbandonsBlocks(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    if (e instanceof MemberEffect.CreateSegment x) {
      permission = x.permission();
      segment = x.segment();
    } else if (e instanceof MemberEffect.Append a) {
      read(a);
      if (permission != null && a.at().segment() >= segment && random.nextInt(10) == 0) {
        Deed deed = random.nextBoolean() ? Deed.ABANDON : Deed.ADD_BLOCK;
        levers.askNameNode(
            seat.region(), deed, segment, random.nextInt((int) a.at().offset() + 1), permission);
      }
    }
  }

  /** Looks for a ROLL record in what goes to the disk. */
  private void read(MemberEffect.Append a) {
    int length = a.bytes().stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer bytes = ByteBuffer.allocate(length);
    a.bytes().forEach(b -> bytes.put(b.duplicate()));
    LogReader reader =
        new LogReader(
                (at, into) -> fill(bytes.array(), at - a.at().offset(), into),
                seat.region(),
                a.at().segment(),
                signer)
            .resume(new LogReader.Mark(a.at().offset(), seat.members(), seat.epoch()));
    LogRecord r = a.at().offset() == 0 ? null : reader.next();
    if (r != null && r.type() == LogRecord.Type.ROLL) {
      permission = r.permission(reader.certificate());
      segment = next(r);
    }
  }

  private static boolean fill(byte[] from, long at, ByteBuffer into) {
    boolean has = at >= 0 && at + into.remaining() <= from.length;
    if (has) {
      into.put(from, (int) at, into.remaining());
    }
    return has;
  }

  private static long next(LogRecord roll) {
    try {
      return RollBody.decode(roll.content()).next();
    } catch (MalformedException impossible) {
      throw new IllegalStateException("the members have checked it", impossible);
    }
  }
}
