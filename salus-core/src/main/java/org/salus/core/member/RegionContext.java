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
  /** In the chain. */
  final int place;
  final Signer signer;
  final MemberConfig config;
  final LaneLeaders leaders;
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
      VolumeSpec spec, RegionId region, int epoch, List<String> members, int place, Signer signer, MemberConfig config, LaneLeaders leaders) {
    this.spec = spec;
    this.region = region;
    this.epoch = epoch;
    this.members = List.copyOf(members);
    this.place = place;
    this.signer = signer;
    this.config = config;
    this.leaders = leaders;
    this.index = new RegionIndex(spec);
    this.tail = new RecordTail(members.size(), spec.synced());
  }

  boolean isPrimary() {
    return place == 0;
  }

  boolean isLast() {
    return place == members.size() - 1;
  }

  String self() {
    return members.get(place);
  }

  /** The member at this place in the chain, by the first lane in which it acts. */
  Endpoint member(int at) {
    return new Endpoint.Member(region, at);
  }

  Endpoint session() {
    return new Endpoint.Session(region.volume(), log.mountEpoch());
  }

  long watermark() {
    return Math.max(leaders.committed(), log.acked());
  }

  /** Segments that are in checkpoints are needed no more. */
  void flushed() {
    long last = log.checkpoints().lastFlushed();
    segments.removeIf(s -> s.segment() <= last);
    index.flushed(last);
  }

  /** Closed segments that wait for their flush. */
  long liveSegments() {
    return segments.size();
  }

  List<SegmentEnd> segmentsWithOpen() {
    List<SegmentEnd> all = new ArrayList<>(segments);
    if (next != null) {
      all.add(new SegmentEnd(next.segment(), next.offset()));
    }
    return all;
  }
}
