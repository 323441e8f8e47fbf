package org.salus.core.message;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Refusal;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Prepared;
import org.salus.core.log.Relied;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.*;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** The encoding of messages: a tag and the fields in order. */
public final class MessageCodec {
  /**
   * The format of the messages and envelopes that this program speaks, and of a server's
   * registration. A process with another format takes no part.
   */
  public static final int FORMAT = 16;

  private static final int HASH = 32;
  static final byte[] NO_SIGNATURE = {};
  private static final Refusal[] REFUSALS = Refusal.values();
  private static final OpeningPhase[] PHASES = OpeningPhase.values();

  private MessageCodec() {}

  public static byte[] encode(Message m) {
    Encoder e = new Encoder(128);
    write(e, m);
    return e.toBytes();
  }

  private static void write(Encoder e, Message m) {
    if (m instanceof PutRequest x) {
      e.u8(1).i32(x.epoch()).bytes(x.content()).i32(x.payloadCrc()).bytes(x.signature());
    } else if (m instanceof MountRequest x) {
      e.u8(2).i32(x.epoch()).bytes(x.content()).bytes(x.signature());
    } else if (m instanceof ResolveRequest x) {
      e.u8(3).i32(x.epoch()).bytes(x.content()).bytes(x.signature());
    } else if (m instanceof GetRequest x) {
      e.u8(4)
          .i64(x.id())
          .i32(x.epoch())
          .i64(x.mountEpoch())
          .i64(x.prevNum())
          .i64(x.acked())
          .i64(x.local())
          .i32(x.count());
    } else if (m instanceof PageRequest x) {
      e.u8(5)
          .i64(x.id())
          .i32(x.epoch())
          .i64(x.mountEpoch())
          .i64(x.prevNum())
          .i64(x.acked())
          .i32(x.level())
          .i64(x.index());
    } else if (m instanceof Acknowledged x) {
      Relied r = x.relied();
      e.u8(15)
          .i32(x.epoch())
          .i64(r.mountEpoch())
          .i64(r.logged())
          .i64(r.since())
          .i64(r.seq())
          .bytes(x.signature());
    } else if (m instanceof MountReply x) {
      e.u8(6).i32(x.epoch()).i32(x.lane()).i64(x.mountEpoch());
      summary(e, x.summary());
    } else if (m instanceof ResolveReply x) {
      e.u8(7).i32(x.epoch()).i32(x.lane()).i64(x.mountEpoch()).i64(x.prefix()).raw(x.regionRoot());
    } else if (m instanceof Refused x) {
      e.u8(8)
          .i32(x.epoch())
          .i32(x.lane())
          .i64(x.mountEpoch())
          .i64(x.last())
          .u8(x.why().ordinal())
          .i64(x.seq());
      e.bytes(x.mount()).bytes(x.signature());
    } else if (m instanceof GetReply x) {
      e.u8(9).i64(x.id()).i32(x.lane()).bytes(x.zero()).i32(x.load()).bool(x.failed());
    } else if (m instanceof PageReply x) {
      e.u8(10).i64(x.id()).i32(x.lane()).bytes(x.children());
    } else {
      writeBetweenMembers(e, m);
    }
  }

  private static void writeBetweenMembers(Encoder e, Message m) {
    if (m instanceof Chain x) {
      e.u8(11).bytes(x.header()).list(x.signatures(), Encoder::bytes);
    } else if (m instanceof Certified x) {
      e.u8(12).i32(x.epoch()).i64(x.segment()).i64(x.offset()).list(x.signatures(), Encoder::bytes);
    } else if (m instanceof LogEnds x) {
      e.u8(13)
          .i32(x.epoch())
          .i32(x.lane())
          .list(x.ends(), MessageCodec::end)
          .list(x.elsewhere(), MessageCodec::end);
    } else if (m instanceof Opening x) {
      e.u8(14).i32(x.epoch()).i32(x.lane()).u8(x.phase().ordinal()).u8(x.heard());
    } else if (m instanceof Wrote x) {
      e.u8(24).i32(x.epoch()).i32(x.lane()).i64(x.segment()).bool(x.asks()).bytes(x.word());
    } else if (m instanceof Vote x) {
      vote(e.u8(16), x);
    } else if (m instanceof Commit x) {
      e.u8(17)
          .i32(x.leader())
          .i32(x.epoch())
          .i32(x.lane())
          .i32(x.to())
          .i64(x.mountEpoch())
          .i32(x.view())
          .i64(x.seq())
          .bytes(x.signature());
      e.list(x.votes(), (y, v) -> y.i32(v.region()).bytes(v.signature()));
    } else if (m instanceof Abort x) {
      vote(e.u8(18).i32(x.leader()), x.no());
    } else if (m instanceof ConfirmQuery x) {
      e.u8(19).i32(x.asker()).i32(x.lane()).i64(x.mountEpoch()).i32(x.view()).i64(x.seq());
    } else if (m instanceof StatusQuery x) {
      e.u8(22).i64(x.id());
    } else if (m instanceof StatusReply x) {
      e.u8(23).i64(x.id()).i32(x.epoch()).i32(x.lane()).bool(x.serving()).i64(x.watermark());
      e.list(x.files().segments(), MessageCodec::end)
          .list(x.files().checkpoints(), (y, c) -> c.encode(y))
          .i32(x.files().builds());
      e.raw(x.files().checkpointRoot())
          .i32(x.view())
          .i64(x.lastSeq())
          .i64(x.settled())
          .bytes(x.root())
          .bytes(x.manifest())
          .bool(x.full());
    } else if (m instanceof InventoryQuery) {
      e.u8(30);
    } else if (m instanceof InventoryReply x) {
      e.u8(31).string(x.problem()).list(x.paths(), Encoder::string);
    } else if (m instanceof HoldingsQuery x) {
      e.u8(32).string(x.volume());
    } else if (m instanceof HoldingsReply x) {
      e.u8(33)
          .string(x.problem())
          .list(x.segments(), MessageCodec::holding)
          .list(x.checkpoints(), Encoder::i64);
      e.bytes(x.manifest()).i64(x.mountEpoch());
    } else if (m instanceof Hello) {
      e.u8(20);
    } else if (m instanceof Built x) {
      e.u8(21)
          .i32(x.epoch())
          .i32(x.lane())
          .i64(x.checkpoint())
          .i64(x.length())
          .i32(x.crc())
          .raw(x.root());
    }
  }

  public static Message decode(ByteBuffer in) throws MalformedException {
    Decoder d = new Decoder(in);
    Message m = read(d, d.u8());
    d.end();
    return m;
  }

  private static Message read(Decoder d, int tag) throws MalformedException {
    return switch (tag) {
      case 1 -> new PutRequest(d.i32(), d.bytes(), d.i32(), d.bytes());
      case 2 -> new MountRequest(d.i32(), d.bytes(), d.bytes());
      case 3 -> new ResolveRequest(d.i32(), d.bytes(), d.bytes());
      case 4 -> new GetRequest(d.i64(), d.i32(), d.i64(), d.i64(), d.i64(), d.i64(), d.i32());
      case 5 -> new PageRequest(d.i64(), d.i32(), d.i64(), d.i64(), d.i64(), d.i32(), d.i64());
      case 6 -> new MountReply(d.i32(), d.i32(), d.i64(), summary(d));
      case 7 -> new ResolveReply(d.i32(), d.i32(), d.i64(), d.i64(), d.raw(HASH));
      case 8 ->
          new Refused(
              d.i32(), d.i32(), d.i64(), d.i64(), refusal(d.u8()), d.i64(), d.bytes(), d.bytes());
      case 9 -> new GetReply(d.i64(), d.i32(), d.bytes(), d.i32(), d.bool());
      case 10 -> new PageReply(d.i64(), d.i32(), d.bytes());
      case 11 -> new Chain(d.bytes(), d.list(Decoder::bytes));
      case 12 -> new Certified(d.i32(), d.i64(), d.i64(), d.list(Decoder::bytes));
      case 13 ->
          new LogEnds(d.i32(), d.i32(), d.list(MessageCodec::end), d.list(MessageCodec::end));
      case 14 -> new Opening(d.i32(), d.i32(), phase(d.u8()), d.u8());
      case 15 ->
          new Acknowledged(d.i32(), new Relied(d.i64(), d.i64(), d.i64(), d.i64()), d.bytes());
      case 16 -> vote(d);
      case 17 ->
          new Commit(
              d.i32(),
              d.i32(),
              d.i32(),
              d.i32(),
              d.i64(),
              d.i32(),
              d.i64(),
              d.bytes(),
              d.list(x -> new Yes(x.i32(), x.bytes())));
      case 18 -> new Abort(d.i32(), vote(d));
      case 19 -> new ConfirmQuery(d.i32(), d.i32(), d.i64(), d.i32(), d.i64());
      case 20 -> new Hello();
      case 22 -> new StatusQuery(d.i64());
      case 23 ->
          new StatusReply(
              d.i64(),
              d.i32(),
              d.i32(),
              d.bool(),
              d.i64(),
              new LiveFiles(
                  d.list(MessageCodec::end), d.list(Checkpoint::decode), d.i32(), d.raw(HASH)),
              d.i32(),
              d.i64(),
              d.i64(),
              d.bytes(),
              d.bytes(),
              d.bool());
      case 24 -> new Wrote(d.i32(), d.i32(), d.i64(), d.bool(), d.bytes());
      case 21 -> new Built(d.i32(), d.i32(), d.i64(), d.i64(), d.i32(), d.raw(HASH));
      case 30 -> new InventoryQuery();
      case 31 -> new InventoryReply(d.string(), d.list(Decoder::string));
      case 32 -> new HoldingsQuery(d.string());
      case 33 ->
          new HoldingsReply(
              d.string(), d.list(MessageCodec::holding), d.list(Decoder::i64), d.bytes(), d.i64());
      default -> throw new MalformedException("message tag " + tag);
    };
  }

  private static void vote(Encoder e, Vote v) {
    e.i32(v.region())
        .i32(v.epoch())
        .i32(v.lane())
        .i32(v.leader())
        .i64(v.mountEpoch())
        .i32(v.view())
        .i64(v.first())
        .i64(v.last())
        .raw(v.root());
    e.u8(v.no() == null ? 255 : v.no().ordinal()).bytes(v.signature());
  }

  private static Vote vote(Decoder d) throws MalformedException {
    int region = d.i32();
    int epoch = d.i32();
    int lane = d.i32();
    int leader = d.i32();
    long mountEpoch = d.i64();
    int view = d.i32();
    long first = d.i64();
    long last = d.i64();
    byte[] root = d.raw(HASH);
    int no = d.u8();
    return new Vote(
        region,
        epoch,
        lane,
        leader,
        mountEpoch,
        view,
        first,
        last,
        root,
        no == 255 ? null : refusal(no),
        d.bytes());
  }

  private static void end(Encoder e, SegmentEnd s) {
    e.i64(s.segment()).i64(s.length());
  }

  private static SegmentEnd end(Decoder d) throws MalformedException {
    return new SegmentEnd(d.i64(), d.i64());
  }

  private static void holding(Encoder e, Holding h) {
    e.i64(h.segment())
        .bool(h.finished())
        .list(h.dataNodes(), Encoder::string)
        .i64(h.valid())
        .i32(h.epoch());
  }

  private static Holding holding(Decoder d) throws MalformedException {
    return new Holding(d.i64(), d.bool(), d.list(Decoder::string), d.i64(), d.i32());
  }

  private static OpeningPhase phase(int n) throws MalformedException {
    if (n >= PHASES.length) {
      throw new MalformedException("phase " + n);
    }
    return PHASES[n];
  }

  private static Refusal refusal(int n) throws MalformedException {
    if (n >= REFUSALS.length) {
      throw new MalformedException("refusal " + n);
    }
    return REFUSALS[n];
  }

  private static void summary(Encoder e, LogSummary s) {
    s.durable().encode(e);
    e.i64(s.acked());
    e.list(
        s.prepared(),
        (x, p) ->
            x.i32(p.view())
                .i64(p.first())
                .i64(p.last())
                .list(p.participants(), Encoder::i32)
                .raw(p.volumeRoot()));
  }

  private static LogSummary summary(Decoder d) throws MalformedException {
    return new LogSummary(Durable.decode(d), d.i64(), d.list(MessageCodec::prepared));
  }

  private static Prepared prepared(Decoder d) throws MalformedException {
    return new Prepared(d.i32(), d.i64(), d.i64(), d.list(Decoder::i32), d.raw(HASH));
  }

  /**
   * The bytes that the signature of a message covers, as far as it is on the message alone: the
   * encoding with an empty signature.
   */
  public static ByteBuffer signed(Message m) {
    Message bare =
        m instanceof Vote v
            ? v.withSignature(NO_SIGNATURE)
            : m instanceof Commit c
                ? new Commit(
                    c.leader(),
                    c.epoch(),
                    c.lane(),
                    c.to(),
                    c.mountEpoch(),
                    c.view(),
                    c.seq(),
                    NO_SIGNATURE,
                    List.of())
                : m instanceof Refused r
                    ? new Refused(
                        r.epoch(),
                        r.lane(),
                        r.mountEpoch(),
                        r.last(),
                        r.why(),
                        r.seq(),
                        r.mount(),
                        NO_SIGNATURE)
                    : m instanceof Acknowledged a
                        ? new Acknowledged(a.epoch(), a.relied(), NO_SIGNATURE)
                        : m;
    return ByteBuffer.wrap(encode(bare));
  }
}
