package org.salus.core.effect;

/**
 * For long, nothing has come through the member that acts in this lane, though it may run: the
 * master is to go on without it. It is no proof. When it is right, another member is to blame, and
 * will be. Members and sessions complain (paper §4.2.2).
 */
public record Stalled(int region, int epoch, int lane, String what)
    implements MemberEffect, SessionEffect {
  @Override
  public void performBy(MemberEffect.Handler handler) {
    handler.stalled(this);
  }

  @Override
  public void performBy(SessionEffect.Handler handler) {
    handler.stalled(this);
  }
}
