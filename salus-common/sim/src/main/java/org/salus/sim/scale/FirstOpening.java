package org.salus.sim.scale;

import java.util.List;
import java.util.function.Supplier;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.event.MemberEvents;
import org.salus.core.scan.LogScan;

/**
 * Answers a member's effects when its region opens for the first time, with empty disks. It expects
 * no fault and no flush; any other effect is a bug.
 */
public abstract class FirstOpening implements MemberEffect.Handler {
  private final MemberEvents member;

  protected FirstOpening(MemberEvents member) {
    this.member = member;
  }

  /** Gives the member an event, now or later, and performs the effects. */
  protected abstract void event(Supplier<List<MemberEffect>> what);

  /** The host's clock, in nanoseconds. */
  protected abstract long now();

  @Override
  public void scanLog(MemberEffect.ScanLog effect) {
    event(() -> member.onScanned(LogScan.Found.NOTHING, now()));
  }

  @Override
  public void recoverSegments(MemberEffect.RecoverSegments effect) {
    event(() -> member.onRecovered(true, now()));
  }

  @Override
  public void replayLog(MemberEffect.ReplayLog effect) {
    event(() -> member.onReplayed(now()));
  }

  @Override
  public void loadRoots(MemberEffect.LoadRoots effect) {
    event(() -> member.onRootsLoaded(now()));
  }

  @Override
  public void createSegment(MemberEffect.CreateSegment effect) {
    event(() -> member.onSegmentCreated(effect.segment(), true, false, now()));
  }

  @Override
  public void registerEpoch(MemberEffect.RegisterEpoch effect) {
    event(() -> member.onRegistered(true, now()));
  }

  @Override
  public void tidy(MemberEffect.Tidy effect) {
    // No file exists that a manifest could let go of.
  }

  @Override
  public void createCheckpoint(MemberEffect.CreateCheckpoint effect) {
    throw unexpected(effect);
  }

  @Override
  public void flush(MemberEffect.Flush effect) {
    throw unexpected(effect);
  }

  @Override
  public void compact(MemberEffect.Compact effect) {
    throw unexpected(effect);
  }

  @Override
  public void loadPages(MemberEffect.LoadPages effect) {
    throw unexpected(effect);
  }

  @Override
  public void unable(MemberEffect.Unable effect) {
    throw unexpected(effect);
  }

  @Override
  public void suspect(MemberEffect.Suspect effect) {
    throw unexpected(effect);
  }

  @Override
  public void stalled(Stalled effect) {
    throw unexpected(effect);
  }

  /**
   * The exception to throw for an effect that a member has no reason for while nothing goes wrong.
   */
  protected static IllegalStateException unexpected(MemberEffect effect) {
    return new IllegalStateException("a member cannot go on: " + effect);
  }
}
