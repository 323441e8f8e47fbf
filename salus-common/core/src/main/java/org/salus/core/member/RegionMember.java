package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.compaction.Checkpoints;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.MemberEvents;
import org.salus.core.event.WaitingRequests;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.*;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;

/** One member of a region's RRS in one epoch (paper §4.2.3). Not thread-safe. */
public final class RegionMember implements MemberEvents {
  private static final byte[] UNKNOWN = {};

  private final RegionContext c;
  private final RecordRelay relay;
  private final ChainMember chain;
  private final OpeningDriver opening;
  private final ReadService reads;
  private final PageLoader loader;

  /** Makes a member with the product's rules. */
  public RegionMember(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config) {
    this(spec, seat, signer, config, MemberRules.PAPER);
  }

  /**
   * @param rules the rules by which the member accepts, commits and answers
   */
  public RegionMember(
      VolumeSpec spec, Seat seat, Signer signer, MemberConfig config, MemberRules rules) {
    this.c = new RegionContext(spec, seat, signer, config, rules);
    this.loader = new PageLoader(c);
    this.reads = new ReadService(c, loader);
    this.relay = new RecordRelay(c, reads);
    this.opening = new OpeningDriver(c, relay);
    this.chain = new ChainMember(c, relay, opening, reads, loader);
  }

  @Override
  public void continueFrom(KnownLog known) {
    c.known = known;
  }

  @Override
  public List<MemberEffect> start(long now) {
    opening.start(now);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (m instanceof Message.Chain x) {
      chain.onChain(x, payload);
    } else if (m instanceof Certified x) {
      onCertified(x);
    } else if (m instanceof LogEnds || m instanceof Opening) {
      opening.onMessage(from, m);
    } else if (m instanceof Wrote x) {
      opening.onMessage(from, x);
      chain.onWrote(from, x);
    } else if (m instanceof Acknowledged x) {
      opening.onAcknowledged(x);
    } else if (m instanceof Built x) {
      if (x.epoch() == c.epoch && c.isAt(from, x.lane())) {
        chain.onBuilt(x);
      }
    } else if (m instanceof Vote x) {
      onVote(x);
    } else if (m instanceof Commit x) {
      onCommit(x);
    } else if (m instanceof ConfirmQuery x) {
      onQuery(from, x);
    } else if (m instanceof StatusQuery x) {
      c.out.send(from, status(x.id()));
    } else if (m instanceof GetRequest || m instanceof PageRequest) {
      reads.request(from, m);
    } else if (m instanceof PutRequest
        || m instanceof MountRequest
        || m instanceof ResolveRequest) {
      onSession(from, m, payload);
    } // a member ignores every other message
    return c.out.take();
  }

  private StatusReply status(long id) {
    byte[] root = c.rules.mayTellRoot(c.next != null) ? c.index.rootSoon() : null;
    loader.request();
    return status(id, root == null ? UNKNOWN : root, c.index.checkpointRoot());
  }

  @Override
  public StatusReply figures() {
    return status(0, UNKNOWN, UNKNOWN);
  }

  @Override
  public WaitingRequests waiting() {
    return new WaitingRequests(
        reads.uncommitted(), reads.unloaded(), c.tail.unwritten(false), c.tail.unwritten(true));
  }

  private StatusReply status(long id, byte[] root, byte[] checkpointRoot) {
    Checkpoints checkpoints = c.log.checkpoints();
    return new StatusReply(
        id,
        c.epoch,
        c.place,
        c.serving,
        c.watermark(),
        new LiveFiles(
            c.segmentsWithOpen(),
            checkpoints.live(),
            checkpoints.building().size(),
            checkpointRoot),
        c.log.view(),
        c.log.lastSeq(),
        c.indexed(),
        root,
        c.manifest,
        chain.isFull());
  }

  private void onSession(Endpoint from, Message m, ByteBuffer payload) {
    int epoch =
        m instanceof PutRequest p
            ? p.epoch()
            : m instanceof MountRequest q ? q.epoch() : ((ResolveRequest) m).epoch();
    if (epoch != c.epoch || !c.isPrimary()) {
      c.refuse(from, 0, new LogState.No(Refusal.WRONG_EPOCH, 0));
    } else if (!c.serving) {
      c.refuse(from, 0, new LogState.No(Refusal.BUSY, 0));
    } else if (m instanceof PutRequest p) {
      chain.onPut(from, p, payload);
    } else {
      chain.onControl(from, m);
    }
  }

  private void onCertified(Certified x) {
    if (x.epoch() == c.epoch) {
      Position at = new Position(x.segment(), x.offset());
      if (x.offset() == OpeningDriver.OPEN_OFFSET) {
        opening.onCertified(x.signatures());
      } else {
        relay.onCertified(at, x.signatures());
      }
    }
  }

  /** Answers a lane leader of another region. No region asks for another. */
  private void onQuery(Endpoint from, ConfirmQuery q) {
    RegionId asker = new RegionId(c.region.volume(), q.asker());
    if (c.hasRegion(q.asker()) && from instanceof Endpoint.Member m && m.region().equals(asker)) {
      c.leaders.query(q, c.out);
    }
  }

  private void onVote(Vote v) {
    if (c.leaders.actsIn(v.lane())
        && c.hasRegion(v.region())
        && v.leader() == c.region.index()
        && v.isSigned(c.region.volume(), c.signer)) {
      c.leaders.vote(v, c.out);
      reads.release();
    }
  }

  private void onCommit(Commit x) {
    if (c.leaders.actsIn(x.lane())
        && x.to() == c.region.index()
        && x.isSigned(c.region.volume(), c.signer)) {
      c.leaders.confirmed(x, c.out);
      reads.release();
    }
  }

  @Override
  public List<MemberEffect> onDurable(Position end, long now) {
    chain.onDurable(end);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    opening.onScanned(found);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onRecovered(boolean ok, long now) {
    opening.onRecovered(ok);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onRefuted(int place, SegmentEnd said, long now) {
    opening.onRefuted(place, said);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onBehind(List<Integer> places, long now) {
    opening.onBehind(places, now);
    return c.out.take();
  }

  @Override
  public void onReplay(LogRecord r, long now) {
    opening.onReplay(r);
  }

  @Override
  public void onOwnReplica(OwnReplica own, long now) {
    opening.onOwnReplica(own);
  }

  @Override
  public List<MemberEffect> onReplayed(long now) {
    opening.onReplayed();
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onReplayFailed(SegmentEnd s, String why, long now) {
    opening.onReplayFailed(s, why);
    return c.out.take();
  }

  @Override
  public void onRoot(long page, byte[] root) {
    opening.onRoot(page, root);
  }

  @Override
  public List<MemberEffect> onRootsLoaded(long now) {
    opening.onRootsLoaded();
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now) {
    chain.onPageLoaded(version, page, leaves);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onPageUnreadable(int version, String why, long now) {
    loader.onUnreadable(version, why);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
    chain.onBuilt(checkpoint, length, crc, roots);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onSegmentCreated(long segment, boolean ok, boolean noSpace, long now) {
    if (c.serving) {
      chain.onSegmentCreated(segment, ok, noSpace);
    } else {
      opening.onSegmentCreated(ok);
    }
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onRegistered(boolean ok, long now) {
    chain.onRegistered(ok);
    return c.out.take();
  }

  @Override
  public List<MemberEffect> onTick(long now) {
    opening.onTick(now);
    chain.onTick(now);
    return c.out.take();
  }
}
