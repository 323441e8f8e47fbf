package org.salus.sim.check;

import java.util.EnumSet;
import java.util.Set;
import org.salus.core.effect.Effect.SessionError;
import org.salus.sim.Violation;

/**
 * P7: when faults stop and three servers are left for each region, every request completes. Before, requests wait; a
 * session ends only because another one has taken the volume, or for what a fault excuses.
 */
public final class Liveness implements Checker {
  private final Set<SessionError> excuses = EnumSet.of(SessionError.FENCED);
  private boolean beyond;

  @Override
  public void excused(SessionError why) {
    excuses.add(why);
  }

  @Override
  public void faultsStopped() {
    excuses.retainAll(EnumSet.of(SessionError.FENCED));
  }

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void requestFailed(long mount, long request, SessionError why) {
    fail(why, "request " + request + " of mount " + mount + " failed: " + why);
  }

  @Override
  public void sessionEnded(long mount, SessionError why) {
    fail(why, "mount " + mount + " ended: " + why);
  }

  private void fail(SessionError why, String what) {
    if (!beyond && !excuses.contains(why)) {
      throw new Violation("P7 liveness", what);
    }
  }

  @Override
  public void stuck(String what) {
    if (!beyond) {
      throw new Violation("P7 liveness", what);
    }
  }
}
