package org.salus.sim.fault.wrong.file;

import java.nio.ByteBuffer;
import org.salus.core.Signer;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.RollBody;
import org.salus.core.member.Seat;
import org.salus.core.wire.MalformedException;

/** Reads from what goes to the disk the permissions to create segments. */
final class RollReader {
  private final Seat seat;
  private final Signer signer;

  RollReader(Seat seat, Signer signer) {
    this.seat = seat;
    this.signer = signer;
  }

  /** Permission to create a segment. */
  record Creation(long segment, byte[] permission) {}

  /** Returns what the ROLL record in an append permits, or null if there is none. */
  Creation in(MemberEffect.Append a) {
    byte[] bytes = bytes(a);
    LogReader reader =
        new LogReader(
                (at, into) -> fill(bytes, at - a.at().offset(), into),
                seat.region(),
                a.at().segment(),
                signer)
            .resume(new LogReader.Mark(a.at().offset(), seat.members(), seat.epoch()));
    LogRecord r = a.at().offset() == 0 ? null : reader.next();
    return r != null && r.type() == LogRecord.Type.ROLL
        ? new Creation(next(r), r.permission(reader.certificate()))
        : null;
  }

  /** Returns the bytes of an append. */
  static byte[] bytes(MemberEffect.Append a) {
    ByteBuffer bytes =
        ByteBuffer.allocate(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum());
    a.bytes().forEach(b -> bytes.put(b.duplicate()));
    return bytes.array();
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
