package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.MountBody;
import org.salus.core.log.Position;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.wire.MalformedException;

/**
 * Takes a checked record into this member's log (paper §4.2.3): signs it, applies it, forwards it
 * down the chain, and appends it with its certificate. The last member has all signatures and sends
 * the certificate to the others.
 */
final class RecordRelay {

  private final RegionContext c;
  private final ReadService reads;

  RecordRelay(RegionContext c, ReadService reads) {
    this.c = c;
    this.reads = reads;
  }

  /** At M0: proposes the first record of a segment. */
  void proposeManifest() {
    propose(Type.MANIFEST, c.log.manifest(c.members, List.copyOf(c.segments)).encode());
  }

  /** At M0: proposes a record that no session asks for, at the next position. */
  void propose(Type type, byte[] content) {
    LogRecord r = new LogRecord(type, c.region, c.epoch, c.next, content);
    accept(r, null, List.of(), null);
  }

  /**
   * @param b the sub-batch in a PUT record, else null
   * @param before signatures of the members before this one
   * @param payload may be null; it is kept until it is appended
   */
  void accept(LogRecord r, SubBatch b, List<byte[]> before, ByteBuffer payload) {
    List<byte[]> signatures = new ArrayList<>(before);
    signatures.add(c.signer.sign(c.self(), r.headerBuffer()));
    Entry e = new Entry(r, b, signatures, payload);
    c.tail.add(e);
    apply(r, b);
    if (c.isLast()) {
      e.certificate = e.signatures;
    }
    repeat(e, payload);
    c.tail.append(c.out);
    c.tail.prune(c.log.acked());
    reads.release();
  }

  private void apply(LogRecord r, SubBatch b) {
    try {
      switch (r.type()) {
        case PUT -> {
          c.log.apply(b, r.at(), r.payloadOffset());
          c.leaders.enter(b);
          c.leaders.acknowledged(c.log.acked(), c.out);
          if (b.participants().leader() == c.region.index()) {
            c.leaders.begin(b);
          }
        }
        case MOUNT -> {
          c.log.apply(MountBody.decode(r.content()), MountBody.proof(r.epoch(), r.origin()));
          c.leaders.reset(c.log.mountEpoch());
          reads.clear();
        }
        case RESOLVE -> {
          ResolveBody resolve = ResolveBody.decode(r.content());
          c.log.apply(resolve);
          c.goBack(resolve.prefix());
          c.releaseHeld();
          c.leaders.acknowledged(resolve.prefix(), c.out);
        }
        case MANIFEST -> closeSegment(r.at().segment());
        case BUILD -> c.log.apply(BuildBody.decode(r.content()));
        case BUILT -> {
          c.log.apply(BuiltBody.decode(r.content()));
          c.flushed();
        }
        default -> {}
      }
    } catch (MalformedException e) {
      throw new IllegalStateException("checked record " + r + " cannot be read", e);
    }
    c.settle(false);
    c.next = r.at().plus(r.length(c.members.size()));
  }

  private void closeSegment(long opened) {
    if (c.next.segment() < opened) {
      c.segments.add(new SegmentEnd(c.next.segment(), c.next.offset()));
    }
  }

  /**
   * Sends the record on or, from the last member, its certificate back. An earlier message may have
   * been lost.
   */
  void repeat(Entry e, ByteBuffer payload) {
    if (!c.isLast()) {
      c.out.send(c.member(c.place + 1), new Chain(e.record.header(), e.signatures), payload);
      return;
    }
    Position at = e.record.at();
    for (int i = 0; i < c.place; i++) {
      c.out.send(c.member(i), new Certified(c.epoch, at.segment(), at.offset(), e.certificate));
    }
  }

  /** Takes a record's certificate from the last member. */
  void onCertified(Position at, List<byte[]> signatures) {
    Entry e = c.tail.find(at);
    if (e != null
        && e.certificate == null
        && c.rules.isCertified(e.record, c.members, signatures, c.signer)) {
      e.certificate = signatures;
      c.tail.append(c.out);
    }
  }
}
