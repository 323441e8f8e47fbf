package org.salus.core.effect;

/**
 * A complaint to the master (paper §4.2.2): for long, nothing has come through the member that acts
 * in this lane. It may run all the same, and the complaint is no proof. The master should go on
 * without it. If it is right, another member is at fault, and complaints will name that one next.
 * Members and sessions complain.
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
