package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.LogRequest;
import org.salus.core.log.LogState;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.MountBody;
import org.salus.core.log.Position;
import org.salus.core.log.Put;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.*;
import org.salus.core.wire.MalformedException;

/**
 * A member's part in the chain (paper §4.2.3). M0 gives every record its position. Each member
 * checks it against its own log before {@link RecordRelay} takes it in. A record that arrives again
 * is not logged again; the member only repeats the effects that followed it.
 */
final class ChainMember {
  private static final int FORWARD_AGAIN = 16;
  private static final LogState.No DAMAGED = new LogState.No(Refusal.DAMAGED, 0);

  private final RegionContext c;
  private final RecordRelay relay;
  private final OpeningDriver opening;
  private final ReadService reads;
  private final SegmentRoller roller;
  private final Housekeeper housekeeper;
  private final PageLoader loader;
  private final ChainBlame blame;
  private final EpochBeginning beginning;
  private final FileTidier tidier;

  /** The RESOLVE record that is written here and waits for the region's root, or null. */
  private Entry resolved;

  private long lastRepeat;

  ChainMember(
      RegionContext c,
      RecordRelay relay,
      OpeningDriver opening,
      ReadService reads,
      PageLoader loader) {
    this.c = c;
    this.relay = relay;
    this.opening = opening;
    this.reads = reads;
    this.loader = loader;
    this.blame = new ChainBlame(c);
    this.beginning = new EpochBeginning(c);
    this.tidier = new FileTidier(c);
    this.roller = new SegmentRoller(c, relay);
    this.housekeeper = new Housekeeper(c, relay, roller);
  }

  // ---- M0: what a session sends ----

  void onPut(Endpoint from, PutRequest p, ByteBuffer payload) {
    SubBatch b = readGenuine(p, payload);
    if (b == null) {
      c.refuse(from, 0, DAMAGED);
      return;
    }
    Entry known = c.tail.find(b);
    if (known != null) {
      repeat(known, payload);
      return;
    }
    LogState.No no = c.log.check(b);
    int length = payload == null ? 0 : payload.remaining();
    if (no == null) {
      Refusal full =
          roller.makeRoom(LogRecord.length(p.content(), p.signature(), length, c.members.size()));
      no = full == null ? null : new LogState.No(full, 0);
    }
    if (no == null) {
      LogRequest asked = new LogRequest(Type.PUT, c.region, c.epoch, p.content(), p.payloadCrc());
      relay.accept(new LogRecord(asked, c.next, length, p.signature()), b, List.of(), payload);
      afterAppend();
    } else {
      c.refuse(from, b.last(), no);
    }
  }

  private SubBatch readGenuine(PutRequest p, ByteBuffer payload) {
    int crc = payload == null ? 0 : LogRecord.crc(payload);
    try {
      SubBatch b = SubBatch.decode(p.content());
      return crc == p.payloadCrc()
              && isAskedFor(
                  b, new LogRequest(Type.PUT, c.region, p.epoch(), p.content(), crc), p.signature())
              && fits(b, payload)
          ? b
          : null;
    } catch (MalformedException e) {
      return null;
    }
  }

  private boolean isAskedFor(SubBatch b, LogRequest put, byte[] signature) {
    return c.rules.isFromSession(put, b.mountEpoch(), signature, c.signer)
        && c.rules.isParticipant(b, c.region.index(), c.epoch);
  }

  private boolean fits(SubBatch b, ByteBuffer payload) {
    long end = c.spec.regionBlocks();
    for (Put p : b.puts()) {
      if (p.local() + p.count() > end) {
        return false;
      }
    }
    return (payload == null ? 0 : payload.remaining()) == b.dataBlocks() * c.spec.blockSize();
  }

  /** At M0: handles a session's mount or resolve request. */
  void onControl(Endpoint from, Message m) {
    boolean mount = m instanceof MountRequest;
    byte[] content = mount ? ((MountRequest) m).content() : ((ResolveRequest) m).content();
    byte[] signature = mount ? ((MountRequest) m).signature() : ((ResolveRequest) m).signature();
    try {
      long mountEpoch =
          mount ? MountBody.decode(content).mountEpoch() : ResolveBody.decode(content).mountEpoch();
      LogRequest asked =
          new LogRequest(mount ? Type.MOUNT : Type.RESOLVE, c.region, c.epoch, content, 0);
      if (!c.rules.isFromSession(asked, mountEpoch, signature, c.signer)) {
        c.refuse(from, 0, DAMAGED);
        return;
      }
      Entry known = c.tail.newest(asked.type());
      if (known != null && Arrays.equals(known.record.content(), content)) {
        repeat(known, null);
        return;
      }
      LogState.No no =
          mount
              ? c.log.check(MountBody.decode(content))
              : checkResolve(ResolveBody.decode(content));
      if (no == null) {
        Refusal full = roller.makeRoomForControl();
        no = full == null ? null : new LogState.No(full, 0);
      }
      if (no == null) {
        relay.accept(new LogRecord(asked, c.next, 0, signature), null, List.of(), null);
        afterAppend();
      } else {
        c.refuse(from, 0, no);
      }
    } catch (MalformedException e) {
      c.refuse(from, 0, DAMAGED);
    }
  }

  /**
   * Checks a resolution. The index cannot undo what it already holds: only the next epoch can, when
   * it replays the log.
   */
  private LogState.No checkResolve(ResolveBody r) {
    LogState.No no = c.log.check(r);
    if (no == null && !c.canGoBack(r.prefix())) {
      c.out.add(
          new MemberEffect.Suspect(
              -1,
              "the volume goes back to seq "
                  + r.prefix()
                  + ", for later ones were lost elsewhere"));
      return new LogState.No(Refusal.BUSY, 0);
    }
    return no;
  }

  // ---- M1, M2: what comes down the chain ----

  void onChain(Chain x, ByteBuffer payload) {
    try {
      LogRecord r = LogRecord.decode(x.header());
      if (r.epoch() != c.epoch || !r.region().equals(c.region) || c.isPrimary()) {
        return;
      }
      if (!c.rules.isSignedByAllBefore(
          r, c.members.subList(0, c.place), x.signatures(), c.signer)) {
        blame.useless();
        return;
      }
      if (r.type() == Type.OPEN) {
        opening.onChain(r, x.signatures());
        return;
      }
      Entry known = c.tail.find(r.at());
      if (known != null) {
        if (Arrays.equals(known.record.header(), r.header())) {
          repeat(known, payload);
        }
      } else if (opening.isReplayed() && (c.opened || opening.mayRetire())) {
        if (c.rules.isIntact(r, payload)) {
          acceptFromChain(r, x.signatures(), payload);
        } else {
          blame.useless();
        }
      }
    } catch (MalformedException e) {
      blame.useless(); // damaged: the session or M0 sends it again
    }
  }

  private void acceptFromChain(LogRecord r, List<byte[]> signatures, ByteBuffer payload) {
    try {
      SubBatch b = r.type() == Type.PUT ? SubBatch.decode(r.content()) : null;
      boolean askedFor = isAskedFor(r, b) && (b == null || fits(b, payload));
      if (askedFor && isRight(r, b)) {
        blame.useful();
        relay.accept(r, b, signatures, payload);
        housekeeper.forgetEnded();
      } else if (r.at().equals(c.next)) {
        if (!askedFor) {
          blame.forged(r);
        } else if (b == null) {
          blame.useless();
        } else {
          // No right member signs a PUT that its log refuses, which is the same as this one.
          blame.forged(r);
          vote(b, Refusal.DAMAGED); // M0 put it in the wrong place: only a new view helps
        }
      }
    } catch (MalformedException e) {
      blame.forged(r); // the signatures are right, so it was not damaged in transit
    }
  }

  /** Whether the session has signed the record, if only a session can ask for its type. */
  private boolean isAskedFor(LogRecord r, SubBatch b) throws MalformedException {
    return switch (r.type()) {
      case PUT -> isAskedFor(b, r.request(), r.origin());
      case MOUNT -> isFromSession(r, MountBody.decode(r.content()).mountEpoch());
      case RESOLVE -> isFromSession(r, ResolveBody.decode(r.content()).mountEpoch());
      default -> true;
    };
  }

  private boolean isFromSession(LogRecord r, long mountEpoch) {
    return c.rules.isFromSession(r.request(), mountEpoch, r.origin(), c.signer);
  }

  /** Whether this member's own log allows the record. */
  private boolean isRight(LogRecord r, SubBatch b) throws MalformedException {
    return r.type() == Type.MANIFEST
        ? isMyManifest(r)
        : r.at().equals(c.next)
            && switch (r.type()) {
              case PUT -> c.log.check(b) == null;
              case MOUNT -> c.log.check(MountBody.decode(r.content())) == null;
              case RESOLVE -> mayResolve(ResolveBody.decode(r.content()));
              case ROLL -> RollBody.decode(r.content()).next() == c.next.segment() + 1;
              case BUILD -> c.log.check(BuildBody.decode(r.content()), c.segments);
              case BUILT -> housekeeper.isMine(BuiltBody.decode(r.content()));
              default -> false;
            };
  }

  private boolean mayResolve(ResolveBody r) {
    return c.log.check(r) == null && c.canGoBack(r.prefix());
  }

  /** Whether the manifest equals the one that this member makes of its own log. */
  private boolean isMyManifest(LogRecord r) throws MalformedException {
    ManifestBody m = ManifestBody.decode(r.content());
    List<SegmentEnd> closed = c.next.offset() == 0 ? c.segments : c.segmentsWithOpen();
    boolean place =
        c.next.offset() == 0
            ? r.at().equals(c.next)
            : r.at().equals(new Position(c.next.segment() + 1, 0));
    return place && Arrays.equals(c.log.manifest(c.members, closed).encode(), m.encode());
  }

  // ---- every member ----

  /**
   * At M0, after a record of the session: starts what has become due, such as the next segment or a
   * flush.
   */
  private void afterAppend() {
    roller.afterAppend();
    housekeeper.consider();
  }

  /** Handles a record that arrived again: repeats its effects, which may have been lost. */
  private void repeat(Entry e, ByteBuffer payload) {
    relay.repeat(e, payload);
    if (e.durable) {
      onPrepared(e, true);
    }
  }

  void onDurable(Position end) {
    c.tail.durable(end).forEach(e -> onPrepared(e, false));
    c.tail.prune(c.log.acked());
    reads.release();
  }

  /** Handles a record that is written here together with its certificate. */
  private void onPrepared(Entry e, boolean again) {
    c.known.wrote(e.record);
    switch (e.record.type()) {
      case PUT, MOUNT, RESOLVE -> {
        if (c.serving) {
          answer(e);
        } // else when the NameNode knows that the epoch serves
      }
      case MANIFEST -> onManifestDurable(e, again);
      case BUILD -> housekeeper.onBuildDurable(e);
      case ROLL -> roller.onRollDurable(e);
      default -> {}
    }
  }

  /** Answers to a session's record that is written here. */
  private void answer(Entry e) {
    switch (e.record.type()) {
      case PUT -> {
        c.prepared(e.batch.last());
        vote(e.batch, null);
      }
      case MOUNT -> replyToMount(e);
      case RESOLVE -> {
        resolved = e;
        replyToResolve();
      }
      default -> {}
    }
  }

  private void vote(SubBatch b, Refusal no) {
    c.leaders.lanes().forEach(lane -> vote(lane, b, no));
  }

  private void vote(int lane, SubBatch b, Refusal no) {
    Vote bare = Vote.on(b, c.region.index(), lane, no);
    boolean own = b.participants().leader() == c.region.index();
    // Nobody else sees an own YES.
    Vote v = own && no == null ? bare : bare.sign(c.region.volume(), c.signer);
    if (own) {
      c.leaders.vote(v, c.out);
      reads.release();
    } else {
      c.out.send(
          new Endpoint.Member(new RegionId(c.region.volume(), b.participants().leader()), lane), v);
    }
  }

  private void replyToMount(Entry e) {
    try {
      if (MountBody.decode(e.record.content()).mountEpoch() == c.log.mountEpoch()
          && !c.log.resolved()) {
        c.leaders
            .lanes()
            .forEach(
                lane ->
                    c.out.send(
                        c.session(),
                        new MountReply(c.epoch, lane, c.log.mountEpoch(), c.log.summary())));
      }
    } catch (MalformedException x) {
      throw new IllegalStateException("checked record " + e.record + " cannot be read", x);
    }
  }

  /**
   * Answers with the region's root. If leaf hashes are missing, it asks for them and answers later.
   */
  private void replyToResolve() {
    byte[] root = c.index.root();
    loader.request();
    if (root == null) {
      return;
    }
    try {
      ResolveBody b = ResolveBody.decode(resolved.record.content());
      if (b.mountEpoch() == c.log.mountEpoch()) {
        c.leaders
            .lanes()
            .forEach(
                lane ->
                    c.out.send(
                        c.session(),
                        new ResolveReply(c.epoch, lane, b.mountEpoch(), b.prefix(), root)));
      }
      resolved = null;
    } catch (MalformedException x) {
      throw new IllegalStateException("checked record " + resolved.record + " cannot be read", x);
    }
  }

  /** Handles the leaf hashes of one page. */
  void onPageLoaded(int version, long page, byte[] leaves) {
    loader.onLoaded(version, page, leaves);
    if (!loader.isWaiting()) {
      if (resolved != null) {
        replyToResolve();
      }
      reads.retryPages();
    }
  }

  void onBuilt(long checkpoint, long length, int crc, CheckpointBuilder.Roots roots) {
    housekeeper.onBuilt(checkpoint, length, crc, roots);
  }

  void onBuilt(Built other) {
    housekeeper.onBuilt(other);
  }

  private void onManifestDurable(Entry e, boolean again) {
    if (!again) {
      ManifestBody m = read(e.record);
      c.manifest = e.record.permission(e.certificate);
      c.known.tidy(m);
      ManifestWords words = new ManifestWords(c, e.record, c.manifest);
      tidier.written(m, words);
      if (!c.opened) {
        c.opened = true;
        beginning.opened(words);
        beginIfAllowed(false);
      }
    }
  }

  void onWrote(Endpoint from, Wrote x) {
    if (c.isOthers(x, from)) {
      beginning.onWrote(x);
      tidier.onWrote(x);
    }
  }

  void onRegistered(boolean ok) {
    beginIfAllowed(ok);
    beginning.onRegistered(ok);
  }

  private void beginIfAllowed(boolean registered) {
    if (!c.serving && c.rules.mayBegin(registered)) {
      begin();
    }
  }

  /** From now on this member takes part. It first answers what others have sent it meanwhile. */
  private void begin() {
    c.serving = true;
    tidier.letGo();
    c.tail.written().forEach(this::answer);
    if (c.isPrimary()) {
      c.out.add(new MemberEffect.Serving(c.epoch));
      afterAppend();
    }
  }

  private static ManifestBody read(LogRecord manifest) {
    try {
      return ManifestBody.decode(manifest.content());
    } catch (MalformedException x) {
      throw new IllegalStateException("checked record " + manifest + " cannot be read", x);
    }
  }

  /** Whether there was no room for the next segment when M0 last asked for it. */
  boolean isFull() {
    return roller.isFull();
  }

  void onSegmentCreated(long segment, boolean ok, boolean noSpace) {
    roller.onSegmentCreated(segment, ok, noSpace);
  }

  /**
   * Forwards again the records that have waited long for their certificates. They may have been
   * lost, and perhaps their session with them.
   */
  void onTick(long now) {
    if (c.next != null && now - lastRepeat >= c.config.resendAfterNanos()) {
      lastRepeat = now;
      blame.onPeriod();
      if (blame.isTimeToRepeat()) {
        c.tail.uncertified(FORWARD_AGAIN).forEach(e -> repeat(e, e.payload));
      }
      if (c.isPrimary()) {
        roller.retry();
      }
      beginning.onPeriod();
      tidier.onPeriod();
      housekeeper.onTick();
      if (resolved != null) {
        replyToResolve();
      }
      reads.retryPages();
    }
  }
}
