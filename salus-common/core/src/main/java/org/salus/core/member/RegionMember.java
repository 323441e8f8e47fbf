package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.Checkpoints;
import org.salus.core.log.KnownLog;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogScan;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.*;
import org.salus.core.message.MessageCodec;

/**
 * One member of the replicated region server of one region in one epoch. Takes an event, returns
 * effects; no thread may be in it twice. A new epoch gets a new instance.
 */
public class RegionMember {
  private static final byte[] UNKNOWN = {};

  private final RegionContext c;
  private final ChainMember chain;
  private final OpeningDriver opening;
  private final ReadService reads;
  private final PageLoader loader;

  /**
   * @param members the epoch's members in chain order, by node name
   * @param place this member's among them
   */
  public RegionMember(
      VolumeSpec spec,
      RegionId region,
      int epoch,
      List<String> members,
      int place,
      Signer signer,
      MemberConfig config) {
    LaneLeaders leaders =
        new LaneLeaders(place, members.size(), lane -> newLeader(region, lane, signer));
    this.c =
        new RegionContext(spec, region, epoch, members, place, signer, config, leaders, newLog());
    this.loader = new PageLoader(c);
    this.reads = newReads(c, loader);
    this.chain = newChain(c, reads, loader);
    this.opening = new OpeningDriver(c, chain);
  }

  /** The batch leader's rules, replaceable in tests. */
  LaneLeader newLeader(RegionId region, int lane, Signer signer) {
    return new LaneLeader(region, lane, signer);
  }

  /** The chain's rules, replaceable in tests. */
  ChainMember newChain(RegionContext context, ReadService readService, PageLoader pages) {
    return new ChainMember(context, readService, pages);
  }

  /** The meaning of the log, replaceable in tests. */
  LogState newLog() {
    return new LogState();
  }

  /** The rules of reading, replaceable in tests. */
  ReadService newReads(RegionContext context, PageLoader pages) {
    return new ReadService(context, pages);
  }

  /** Before the start, if this server was a member of the epoch before: what that one knew. */
  public void continueFrom(KnownLog known) {
    c.known = known;
  }

  public List<MemberEffect> start(long now) {
    opening.start(now);
    return c.out.take();
  }

  /** A message to this member. {@code payload} may be null; it is kept until it is appended. */
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (m instanceof Message.Chain x) {
      chain.onChain(x, payload, opening);
    } else if (m instanceof Certified x) {
      onCertified(x);
    } else if (m instanceof LogEnds || m instanceof Opening) {
      opening.onMessage(from, m);
    } else if (m instanceof Built x) {
      if (x.epoch() == c.epoch && c.isAt(from, x.lane())) {
        chain.onBuilt(x);
      }
    } else if (m instanceof Vote x) {
      onVote(x);
    } else if (m instanceof Commit x) {
      onCommit(x);
    } else if (m instanceof ConfirmQuery x) {
      c.leaders.query(x, c.out);
    } else if (m instanceof StatusQuery x) {
      c.out.send(from, status(x.id()));
    } else if (m instanceof GetRequest || m instanceof PageRequest) {
      reads.request(from, m);
    } else if (m instanceof PutRequest
        || m instanceof MountRequest
        || m instanceof ResolveRequest) {
      onSession(from, m, payload);
    } // nothing else is for a member, whoever sends it
    return c.out.take();
  }

  /** Whether the index is whole: until the epoch is open it is half read. Replaceable in tests. */
  boolean isIndexed() {
    return c.next != null;
  }

  private StatusReply status(long id) {
    byte[] root = isIndexed() ? c.index.rootSoon() : null;
    loader.request();
    Checkpoints checkpoints = c.log.checkpoints();
    return new StatusReply(
        id,
        c.epoch,
        c.place,
        c.serving,
        c.watermark(),
        c.segmentsWithOpen(),
        checkpoints.live(),
        checkpoints.building().size(),
        c.index.checkpointRoot(),
        c.log.view(),
        c.log.lastSeq(),
        c.indexed(),
        root == null ? UNKNOWN : root,
        c.manifest);
  }

  private void onSession(Endpoint from, Message m, ByteBuffer payload) {
    int epoch =
        m instanceof PutRequest p
            ? p.epoch()
            : m instanceof MountRequest q ? q.epoch() : ((ResolveRequest) m).epoch();
    if (epoch != c.epoch || !c.isPrimary()) {
      c.refuse(from, 0, 0, new LogState.No(Refusal.WRONG_EPOCH, 0));
    } else if (!c.serving) {
      c.refuse(from, 0, 0, new LogState.No(Refusal.BUSY, 0));
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
        chain.onCertified(at, x.signatures());
      }
    }
  }

  private void onVote(Vote v) {
    String voter = Signer.laneName(new RegionId(c.region.volume(), v.region()), v.lane());
    if (c.leaders.actsIn(v.lane())
        && c.signer.verifies(voter, v.signature(), MessageCodec.signed(v))) {
      c.leaders.vote(v, c.out);
      chain.watermarkMoved();
    }
  }

  private void onCommit(Commit x) {
    String leader = Signer.laneName(new RegionId(c.region.volume(), x.leader()), x.lane());
    boolean ours = c.leaders.actsIn(x.lane()) && x.mountEpoch() == c.log.mountEpoch();
    if (ours && c.signer.verifies(leader, x.signature(), MessageCodec.signed(x))) {
      c.leaders.confirmed(x.lane(), x.view(), x.seq(), c.out);
      chain.watermarkMoved();
    }
  }

  /** This member's replica holds everything up to {@code end}, synced where that was asked. */
  public List<MemberEffect> onDurable(Position end, long now) {
    chain.onDurable(end);
    return c.out.take();
  }

  /** Answer to {@code ScanLog}. */
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    opening.onScanned(found);
    return c.out.take();
  }

  /** Answer to {@code RecoverSegments}. */
  public List<MemberEffect> onRecovered(boolean ok, long now) {
    opening.onRecovered(ok);
    return c.out.take();
  }

  /**
   * As {@link #onRecovered}, in vain: what the member at a place has said of its own replica of a
   * segment is not true.
   */
  public List<MemberEffect> onRefuted(int place, SegmentEnd said, long now) {
    opening.onRefuted(place, said);
    return c.out.take();
  }

  /** One record of {@code ReplayLog}. */
  public void onReplay(LogRecord r, long now) {
    opening.onReplay(r);
  }

  /** {@code ReplayLog} has found the own replica of a segment valid only so far. */
  public void onOwnReplicaEnds(SegmentEnd own, long now) {
    opening.onOwnReplicaEnds(own);
  }

  /** {@code ReplayLog} is through. */
  public List<MemberEffect> onReplayed(long now) {
    opening.onReplayed();
    return c.out.take();
  }

  /**
   * As {@link #onReplayed}, in vain: no replica of a segment that can be reached is valid to its
   * end.
   */
  public List<MemberEffect> onReplayFailed(SegmentEnd s, String why, long now) {
    opening.onReplayFailed(s, why);
    return c.out.take();
  }

  /** One root of {@code LoadRoots}. */
  public void onRoot(long page, byte[] root) {
    opening.onRoot(page, root);
  }

  /** {@code LoadRoots} is through. */
  public List<MemberEffect> onRootsLoaded(long now) {
    opening.onRootsLoaded();
    return c.out.take();
  }

  /**
   * One page of {@code LoadPages}: the hashes of its leaves, zeros where a block is in no
   * checkpoint.
   */
  public List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now) {
    chain.onPageLoaded(version, page, leaves);
    return c.out.take();
  }

  /**
   * As {@link #onPageLoaded}, in vain: no replica of one of the checkpoints can be read where the
   * page is.
   */
  public List<MemberEffect> onPageUnreadable(int version, String why, long now) {
    loader.onUnreadable(version, why);
    return c.out.take();
  }

  /** Answer to {@code Flush} and {@code Compact}: this member's replica is finished and on disk. */
  public List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
    chain.onBuilt(checkpoint, length, crc, roots);
    return c.out.take();
  }

  /** Answer to {@code CreateSegment}. */
  public List<MemberEffect> onSegmentCreated(long segment, boolean ok, boolean noSpace, long now) {
    if (c.serving) {
      chain.onSegmentCreated(segment, ok, noSpace);
    } else {
      opening.onSegmentCreated(ok);
    }
    return c.out.take();
  }

  /** To be called every few tens of milliseconds. */
  public List<MemberEffect> onTick(long now) {
    opening.onTick(now);
    chain.onTick(now);
    return c.out.take();
  }
}
