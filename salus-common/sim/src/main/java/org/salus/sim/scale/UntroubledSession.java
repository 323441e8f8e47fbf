package org.salus.sim.scale;

import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;

/**
 * Performs the effects of a session that mounts, reads and writes while nothing goes wrong. Any
 * other effect is a bug.
 */
public abstract class UntroubledSession implements SessionEffect.Handler {
  @Override
  public void zeroMap(SessionEffect.ZeroMap effect) {
    throw unexpected(effect);
  }

  @Override
  public void failed(SessionEffect.Failed effect) {
    throw unexpected(effect);
  }

  @Override
  public void ended(SessionEffect.Ended effect) {
    throw unexpected(effect);
  }

  @Override
  public void lookUp(SessionEffect.LookUp effect) {
    throw unexpected(effect);
  }

  @Override
  public void wentBack(SessionEffect.WentBack effect) {
    throw unexpected(effect);
  }

  @Override
  public void report(SessionEffect.Report effect) {
    throw unexpected(effect);
  }

  @Override
  public void disagree(SessionEffect.Disagree effect) {
    throw unexpected(effect);
  }

  @Override
  public void unreadable(SessionEffect.Unreadable effect) {
    throw unexpected(effect);
  }

  @Override
  public void readable(SessionEffect.Readable effect) {
    throw unexpected(effect);
  }

  @Override
  public void stalled(Stalled effect) {
    throw unexpected(effect);
  }

  private static IllegalStateException unexpected(SessionEffect effect) {
    return new IllegalStateException("a session cannot go on: " + effect);
  }
}
