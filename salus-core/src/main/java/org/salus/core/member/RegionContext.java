package org.salus.core.member;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.message.Message.SegmentEnd;

/** What the parts of one member share. */
final class RegionContext {
  final VolumeSpec spec;
  final RegionId region;
  final int epoch;
  final List<String> members;
  final int lane;
  final Signer signer;
  final MemberConfig config;
  final LaneLeader leader;
  final LogState log = new LogState();
  final RegionIndex index;
  final RecordTail tail;
  final Outbox out = new Outbox();
  /** Closed live segments. */
  final List<SegmentEnd> segments = new ArrayList<>();
  /** Where the next record goes; null until the epoch is open. */
  Position next;
  boolean serving;

  RegionContext(
      VolumeSpec spec, RegionId region, int epoch, List<String> members, int lane, Signer signer, MemberConfig config, LaneLeader leader) {
    this.spec = spec;
    this.region = region;
    this.epoch = epoch;
    this.members = List.copyOf(members);
    this.lane = lane;
    this.signer = signer;
    this.config = config;
    this.leader = leader;
    this.index = new RegionIndex(spec);
    this.tail = new RecordTail(members.size(), spec.synced());
  }

  boolean isPrimary() {
    return lane == 0;
  }

  boolean isLast() {
    return lane == members.size() - 1;
  }

  String self() {
    return members.get(lane);
  }

  Endpoint member(int ofLane) {
    return new Endpoint.Member(region, ofLane);
  }

  Endpoint session() {
    return new Endpoint.Session(region.volume(), log.mountEpoch());
  }

  long watermark() {
    return Math.max(leader.committed(), log.acked());
  }

  /**
   * The newest segment that is in a checkpoint stays until the next is, so that a log that is read from there on settles
   * what is pending at its beginning.
   */
  void flushed() {
    long last = log.checkpoints().lastFlushed();
    segments.removeIf(s -> s.segment() < last);
    index.flushed(last);
  }

  /** Closed segments that wait for their flush. */
  long liveSegments() {
    return segments.stream().filter(s -> s.segment() > log.checkpoints().lastFlushed()).count();
  }

  List<SegmentEnd> segmentsWithOpen() {
    List<SegmentEnd> all = new ArrayList<>(segments);
    if (next != null) {
      all.add(new SegmentEnd(next.segment(), next.offset()));
    }
    return all;
  }
}
