package org.salus.core.event;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;

/**
 * The events that a host brings to the member of a region in one epoch. Each event returns the
 * effects that the host must perform, in order. {@code RegionMember} is the implementation; tests
 * put wrong members before it. Not thread-safe and not reentrant. A new epoch gets a new instance.
 * {@code now} is in nanoseconds and never goes back.
 */
public interface MemberEvents {
  /**
   * Hands on what this server's member of the epoch before knew. The host calls it before {@link
   * #start}, or not at all.
   */
  void continueFrom(KnownLog known);

  List<MemberEffect> start(long now);

  /** A message to this member. {@code payload} may be null; it is kept until it is appended. */
  List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now);

  /**
   * What the member would answer to a {@code StatusQuery}, without region roots: asking costs it
   * neither reads nor hashing.
   */
  Message.StatusReply figures();

  /** The requests that wait at this member. Changes nothing. */
  WaitingRequests waiting();

  /** This member's replica is written up to {@code end}, and synced where that was asked. */
  List<MemberEffect> onDurable(Position end, long now);

  /** Answer to {@code ScanLog}. */
  List<MemberEffect> onScanned(LogScan.Found found, long now);

  /** Answer to {@code RecoverSegments}. */
  List<MemberEffect> onRecovered(boolean ok, long now);

  /**
   * Answer to {@code RecoverSegments} if it failed: what the member at a place has said of its own
   * replica of a segment is not true.
   */
  List<MemberEffect> onRefuted(int place, SegmentEnd said, long now);

  /**
   * Answer to {@code RecoverSegments} if it failed because of these members' DataNodes: they did
   * not answer, or did not make their replicas equal.
   */
  List<MemberEffect> onBehind(List<Integer> places, long now);

  /** One record of {@code ReplayLog}. */
  void onReplay(LogRecord r, long now);

  /** {@code ReplayLog} has looked at this member's own replica of an agreed segment. */
  void onOwnReplica(OwnReplica own, long now);

  /** {@code ReplayLog} is done. */
  List<MemberEffect> onReplayed(long now);

  /** {@code ReplayLog} failed: no reachable replica of the segment is valid to its end. */
  List<MemberEffect> onReplayFailed(SegmentEnd s, String why, long now);

  /** One root of {@code LoadRoots}. */
  void onRoot(long page, byte[] root);

  /** {@code LoadRoots} is done. */
  List<MemberEffect> onRootsLoaded(long now);

  /**
   * One page of {@code LoadPages}: the hashes of its leaves, zeros where a block is in no
   * checkpoint.
   */
  List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now);

  /**
   * {@code LoadPages} failed for a page: no replica of one of the checkpoints can be read where the
   * page is.
   */
  List<MemberEffect> onPageUnreadable(int version, String why, long now);

  /** Answer to {@code Flush} and {@code Compact}: this member's replica is finished and on disk. */
  List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now);

  /** Answer to {@code CreateSegment}. */
  List<MemberEffect> onSegmentCreated(long segment, boolean ok, boolean noSpace, long now);

  /**
   * Answer to {@code RegisterEpoch}.
   *
   * @param ok whether the NameNode knows that the epoch serves; if not, the member asks again
   */
  List<MemberEffect> onRegistered(boolean ok, long now);

  /** To be called every few tens of milliseconds. */
  List<MemberEffect> onTick(long now);
}
