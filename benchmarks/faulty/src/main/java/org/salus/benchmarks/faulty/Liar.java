package org.salus.benchmarks.faulty;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.Generation;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.SubBatch;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

/** What a member says and writes that is not so, under its own signature where it takes one. */
final class Liar {
  private static final byte JUNK = 0x5a;

  private final VolumeSpec spec;
  private final Seat seat;
  private final Signer signer;

  Liar(VolumeSpec spec, Seat seat, Signer signer) {
    this.spec = spec;
    this.seat = seat;
    this.signer = signer;
  }

  /** Every block is there, and none is what was written. */
  Send junk(MemberEffect.ServeGet g) {
    byte[] data = new byte[g.count() * spec.blockSize()];
    Arrays.fill(data, JUNK);
    return new Send(
        g.to(),
        new Message.GetReply(g.id(), g.lane(), new byte[(g.count() + 7) / 8], 0, false),
        ByteBuffer.wrap(data));
  }

  /** Every block reads as zeros. */
  Send nothing(MemberEffect.ServeGet g) {
    byte[] zero = new byte[(g.count() + 7) / 8];
    Arrays.fill(zero, (byte) -1);
    return new Send(
        g.to(), new Message.GetReply(g.id(), g.lane(), zero, 0, false), ByteBuffer.allocate(0));
  }

  static MemberEffect.Flush withoutTheLast(MemberEffect.Flush f) {
    Generation.Snapshot s = f.content();
    int left = s.locals().length - 1;
    Generation.Snapshot less =
        new Generation.Snapshot(
            Arrays.copyOf(s.locals(), left),
            Arrays.copyOf(s.offsets(), left),
            Arrays.copyOf(s.hashes(), left * Hashes.BYTES));
    return new MemberEffect.Flush(f.checkpoint(), f.segment(), less, f.older());
  }

  /**
   * Other data, whose checksum is right and which this member has signed; nobody can sign for the
   * session.
   */
  Send forged(Send s, Message.Chain c) {
    try {
      LogRecord r = LogRecord.decode(c.header());
      ByteBuffer data = altered(s.payload());
      LogRecord other =
          new LogRecord(
              new LogRequest(r.type(), r.region(), r.epoch(), r.content(), LogRecord.crc(data)),
              r.at(),
              r.payloadLength(),
              r.origin());
      List<byte[]> signatures = new ArrayList<>(c.signatures());
      signatures.set(seat.place(), signer.sign(seat.name(), other.headerBuffer()));
      return new Send(s.to(), new Message.Chain(other.header(), signatures), data);
    } catch (MalformedException own) {
      throw new IllegalStateException("cannot read what this member forwards", own);
    }
  }

  /** Commits of a batch that nobody has voted on yet, to everybody whom it concerns. */
  List<MemberEffect> falseCommits(Message.Chain c) {
    try {
      SubBatch b = SubBatch.decode(LogRecord.decode(c.header()).content());
      List<MemberEffect> all = new ArrayList<>();
      for (int lane : seat.lanes()) {
        all.add(
            new Send(
                new Endpoint.Session(seat.region().volume(), b.mountEpoch()),
                falseCommit(b, lane, Message.Commit.SESSION),
                null));
        b.participants()
            .regions()
            .forEach(
                p ->
                    all.add(
                        new Send(
                            new Endpoint.Member(new RegionId(seat.region().volume(), p), lane),
                            falseCommit(b, lane, p),
                            null)));
      }
      return all;
    } catch (MalformedException own) {
      throw new IllegalStateException("cannot read what this member forwards", own);
    }
  }

  private Message falseCommit(SubBatch b, int lane, int to) {
    return new Message.Commit(
            b.participants().leader(),
            b.participants().epochOf(b.participants().leader()),
            lane,
            to,
            b.mountEpoch(),
            b.view(),
            b.last(),
            new byte[0],
            List.of())
        .sign(seat.region().volume(), signer);
  }

  /** A copy with a bit flipped in the middle. */
  static ByteBuffer altered(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return ByteBuffer.wrap(altered(copy));
  }

  static byte[] altered(byte[] bytes) {
    byte[] copy = bytes.clone();
    if (copy.length > 0) {
      copy[copy.length / 2] ^= 0x10;
    }
    return copy;
  }
}
