package org.salus.sim.fault.wrong;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogScan;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Chain;
import org.salus.core.wire.MalformedException;

/** A member whose effects are not those of a right one. */
abstract class WrongMember extends RegionMember {

  /** What a member is told when it is made. */
  record Seat(
      VolumeSpec spec,
      RegionId region,
      int epoch,
      List<String> members,
      int place,
      Signer signer,
      MemberConfig config) {
    String name() {
      return members.get(place);
    }
  }

  final Seat seat;
  final Random random;

  WrongMember(Seat seat, Random random) {
    super(seat.spec, seat.region, seat.epoch, seat.members, seat.place, seat.signer, seat.config);
    this.seat = seat;
    this.random = random;
  }

  /** What it does where a right member would do this. */
  abstract void instead(MemberEffect e, List<MemberEffect> out);

  final List<MemberEffect> change(List<MemberEffect> effects) {
    List<MemberEffect> out = new ArrayList<>();
    effects.forEach(e -> instead(e, out));
    return out;
  }

  /** A record on its way down the chain in place of another, with this member's own signature. */
  static Send forward(Send was, LogRecord record, Seat seat, ByteBuffer payload) {
    List<byte[]> signatures = new ArrayList<>(((Chain) was.message()).signatures());
    signatures.set(signatures.size() - 1, seat.signer.sign(seat.name(), record.headerBuffer()));
    return new Send(was.to(), new Chain(record.header(), signatures), payload);
  }

  /** The record that an effect forwards, or null. */
  static LogRecord forwarded(MemberEffect e) {
    try {
      return e instanceof Send s && s.message() instanceof Chain c
          ? LogRecord.decode(c.header())
          : null;
    } catch (MalformedException impossible) {
      throw new IllegalStateException("a member forwards what it has read", impossible);
    }
  }

  byte[] laneSignature(int lane, ByteBuffer of) {
    return seat.signer.sign(Signer.laneName(seat.region, lane), of);
  }

  List<Integer> lanes() {
    return Lanes.of(seat.place, seat.members.size());
  }

  static byte[] flipped(byte[] bytes, Random random) {
    byte[] b = bytes.clone();
    if (b.length > 0) {
      b[random.nextInt(b.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return b;
  }

  static ByteBuffer flipped(ByteBuffer of, Random random) {
    if (of == null) {
      return null;
    }
    byte[] b = new byte[of.remaining()];
    of.duplicate().get(b);
    return ByteBuffer.wrap(flipped(b, random));
  }

  @Override
  public List<MemberEffect> start(long now) {
    return change(super.start(now));
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    return change(super.onMessage(from, m, payload, now));
  }

  @Override
  public List<MemberEffect> onDurable(Position end, long now) {
    return change(super.onDurable(end, now));
  }

  @Override
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    return change(super.onScanned(found, now));
  }

  @Override
  public List<MemberEffect> onRecovered(boolean ok, long now) {
    return change(super.onRecovered(ok, now));
  }

  @Override
  public List<MemberEffect> onRefuted(int place, SegmentEnd said, long now) {
    return change(super.onRefuted(place, said, now));
  }

  @Override
  public List<MemberEffect> onReplayed(long now) {
    return change(super.onReplayed(now));
  }

  @Override
  public List<MemberEffect> onRootsLoaded(long now) {
    return change(super.onRootsLoaded(now));
  }

  @Override
  public List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now) {
    return change(super.onPageLoaded(version, page, leaves, now));
  }

  @Override
  public List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
    return change(super.onBuilt(checkpoint, length, crc, roots, now));
  }

  @Override
  public List<MemberEffect> onSegmentCreated(long segment, boolean ok, boolean noSpace, long now) {
    return change(super.onSegmentCreated(segment, ok, noSpace, now));
  }

  @Override
  public List<MemberEffect> onTick(long now) {
    return change(super.onTick(now));
  }
}
