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
 * Stands before a member: hands every event on to it, and its effects back. Subclasses that
 * simulate or provoke a wrong member change the events or the effects.
 */
public abstract class ForwardingMember implements MemberEvents {
  private final MemberEvents to;

  protected ForwardingMember(MemberEvents to) {
    this.to = to;
  }

  /** The effects that the host gets in place of those of one event. */
  protected List<MemberEffect> change(List<MemberEffect> effects, long now) {
    return effects;
  }

  @Override
  public void continueFrom(KnownLog known) {
    to.continueFrom(known);
  }

  @Override
  public List<MemberEffect> start(long now) {
    return change(to.start(now), now);
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    return change(to.onMessage(from, m, payload, now), now);
  }

  @Override
  public Message.StatusReply figures() {
    return to.figures();
  }

  @Override
  public WaitingRequests waiting() {
    return to.waiting();
  }

  @Override
  public List<MemberEffect> onDurable(Position end, long now) {
    return change(to.onDurable(end, now), now);
  }

  @Override
  public List<MemberEffect> onScanned(LogScan.Found found, long now) {
    return change(to.onScanned(found, now), now);
  }

  @Override
  public List<MemberEffect> onRecovered(boolean ok, long now) {
    return change(to.onRecovered(ok, now), now);
  }

  @Override
  public List<MemberEffect> onRefuted(int place, SegmentEnd said, long now) {
    return change(to.onRefuted(place, said, now), now);
  }

  @Override
  public List<MemberEffect> onBehind(List<Integer> places, long now) {
    return change(to.onBehind(places, now), now);
  }

  @Override
  public void onReplay(LogRecord r, long now) {
    to.onReplay(r, now);
  }

  @Override
  public void onOwnReplica(OwnReplica own, long now) {
    to.onOwnReplica(own, now);
  }

  @Override
  public List<MemberEffect> onReplayed(long now) {
    return change(to.onReplayed(now), now);
  }

  @Override
  public List<MemberEffect> onReplayFailed(SegmentEnd s, String why, long now) {
    return change(to.onReplayFailed(s, why, now), now);
  }

  @Override
  public void onRoot(long page, byte[] root) {
    to.onRoot(page, root);
  }

  @Override
  public List<MemberEffect> onRootsLoaded(long now) {
    return change(to.onRootsLoaded(now), now);
  }

  @Override
  public List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now) {
    return change(to.onPageLoaded(version, page, leaves, now), now);
  }

  @Override
  public List<MemberEffect> onPageUnreadable(int version, String why, long now) {
    return change(to.onPageUnreadable(version, why, now), now);
  }

  @Override
  public List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
    return change(to.onBuilt(checkpoint, length, crc, roots, now), now);
  }

  @Override
  public List<MemberEffect> onSegmentCreated(long segment, boolean ok, boolean noSpace, long now) {
    return change(to.onSegmentCreated(segment, ok, noSpace, now), now);
  }

  @Override
  public List<MemberEffect> onRegistered(boolean ok, long now) {
    return change(to.onRegistered(ok, now), now);
  }

  @Override
  public List<MemberEffect> onTick(long now) {
    return change(to.onTick(now), now);
  }
}
