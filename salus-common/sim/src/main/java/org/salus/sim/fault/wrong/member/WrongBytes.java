package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Message.Certified;

/**
 * A wrong member that changes the bytes of records. It forwards them under its own signature and
 * writes wrong bytes to its replica.
 */
public final class WrongBytes extends WrongMember {

  public WrongBytes(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    LogRecord r = forwarded(e);
    if (r != null && random.nextInt(3) == 0) {
      Send s = (Send) e;
      ByteBuffer payload = flipped(s.payload(), random);
      int crc = payload == null ? r.payloadCrc() : LogRecord.crc(payload);
      byte[] content =
          payload == null || random.nextBoolean() ? flipped(r.content(), random) : r.content();
      out.add(forward(s, changed(r, r.at(), crc, content), payload));
    } else if (e instanceof MemberEffect.Append a && random.nextInt(3) == 0) {
      List<ByteBuffer> bytes = new ArrayList<>(a.bytes());
      int i = random.nextInt(bytes.size());
      bytes.set(i, flipped(bytes.get(i), random));
      out.add(new MemberEffect.Append(a.at(), bytes, a.sync()));
    } else if (e instanceof Send s
        && s.message() instanceof Certified c
        && random.nextInt(3) == 0) {
      List<byte[]> signatures = new ArrayList<>(c.signatures());
      signatures.set(seat.place(), flipped(signatures.get(seat.place()), random));
      out.add(
          new Send(s.to(), new Certified(c.epoch(), c.segment(), c.offset(), signatures), null));
    } else {
      out.add(e);
    }
  }
}
