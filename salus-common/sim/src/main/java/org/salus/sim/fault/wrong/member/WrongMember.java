package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.event.ForwardingMember;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.log.Position;
import org.salus.core.log.SubBatch;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.MemberRules;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.Yes;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;

/** A member that changes a right member's effects on their way to the host. */
public abstract class WrongMember extends ForwardingMember {

  /** The arguments with which a member is made. */
  public record Given(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config) {}

  protected final VolumeSpec spec;
  protected final Seat seat;
  protected final Signer signer;
  protected final Random random;

  protected WrongMember(Given given, Random random) {
    this(given, MemberRules.PAPER, random);
  }

  /**
   * @param rules the rules of the right member whose effects this one changes
   */
  protected WrongMember(Given given, MemberRules rules, Random random) {
    super(new RegionMember(given.spec, given.seat, given.signer, given.config, rules));
    this.spec = given.spec;
    this.seat = given.seat;
    this.signer = given.signer;
    this.random = random;
  }

  /**
   * Replaces one effect of the right member: adds to {@code out} the effects that happen instead.
   */
  protected abstract void instead(MemberEffect e, List<MemberEffect> out);

  @Override
  protected final List<MemberEffect> change(List<MemberEffect> effects, long now) {
    List<MemberEffect> out = new ArrayList<>();
    effects.forEach(e -> instead(e, out));
    return out;
  }

  /**
   * Makes the effect that forwards {@code record} in place of another one, with this member's own
   * signature.
   */
  protected final Send forward(Send was, LogRecord record, ByteBuffer payload) {
    List<byte[]> signatures = new ArrayList<>(((Chain) was.message()).signatures());
    signatures.set(signatures.size() - 1, signer.sign(seat.name(), record.headerBuffer()));
    return new Send(was.to(), new Chain(record.header(), signatures), payload);
  }

  /** The same record with another position, payload's CRC32C and content. */
  protected static LogRecord changed(LogRecord r, Position at, int crc, byte[] content) {
    return new LogRecord(
        new LogRequest(r.type(), r.region(), r.epoch(), content, crc),
        at,
        r.payloadLength(),
        r.origin());
  }

  /** The record that an effect forwards, or null if it forwards none. */
  protected static LogRecord forwarded(MemberEffect e) {
    try {
      return e instanceof Send s && s.message() instanceof Chain c
          ? LogRecord.decode(c.header())
          : null;
    } catch (MalformedException impossible) {
      throw new IllegalStateException("a member forwards what it has read", impossible);
    }
  }

  /** Tells the session, with this lane's signature, that a batch is committed. */
  protected final Send confirmation(SubBatch b, int lane, List<Yes> votes) {
    Commit commit =
        new Commit(
                b.participants().leader(),
                seat.epoch(),
                lane,
                Commit.SESSION,
                b.mountEpoch(),
                b.view(),
                b.last(),
                new byte[0],
                votes)
            .sign(spec.id(), signer);
    return new Send(new Endpoint.Session(spec.id(), b.mountEpoch()), commit, null);
  }

  protected byte[] laneSignature(int lane, ByteBuffer of) {
    return signer.sign(Signer.laneName(seat.region(), lane), of);
  }

  protected static byte[] flipped(byte[] bytes, Random random) {
    byte[] b = bytes.clone();
    if (b.length > 0) {
      b[random.nextInt(b.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return b;
  }

  protected static ByteBuffer flipped(ByteBuffer of, Random random) {
    if (of == null) {
      return null;
    }
    byte[] b = new byte[of.remaining()];
    of.duplicate().get(b);
    return ByteBuffer.wrap(flipped(b, random));
  }

  /** Has M0's work with files done for a manifest, by whoever this member is. */
  protected static MemberEffect tidy(WrittenManifest proof) {
    try {
      LogRecord record = Permission.decode(proof.manifest()).record();
      return new MemberEffect.Tidy(
          ManifestBody.of(record), record.at().segment(), proof, true /* primary */);
    } catch (MalformedException e) {
      throw new IllegalStateException("a member's own manifest cannot be read", e);
    }
  }
}
