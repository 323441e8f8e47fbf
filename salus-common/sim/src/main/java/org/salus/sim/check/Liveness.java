package org.salus.sim.check;

import java.util.EnumSet;
import java.util.Set;
import org.salus.core.effect.SessionError;

/**
 * P7: when faults stop and three servers are left for each region, every request completes. Before
 * that, requests may wait. A session may end only because its user has closed it, because another
 * one has taken the volume, or for a reason that a fault excuses.
 */
public final class Liveness implements Checker {
  private final Set<SessionError> excuses = EnumSet.noneOf(SessionError.class);
  private long fencedBefore;
  private boolean beyond;

  @Override
  public void fenced(long mount) {
    fencedBefore = Math.max(fencedBefore, mount);
  }

  @Override
  public void excused(SessionError why) {
    excuses.add(why);
  }

  @Override
  public void faultsStopped() {
    excuses.clear();
  }

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void requestFailed(long mount, long request, SessionError why, boolean inDoubt) {
    fail(mount, why, "request " + request + " of mount " + mount + " failed: " + why);
  }

  @Override
  public void sessionEnded(long mount, SessionError why) {
    if (why != SessionError.CLOSED) { // all its requests are done then
      fail(mount, why, "mount " + mount + " ended: " + why);
    }
  }

  private void fail(long mount, SessionError why, String what) {
    boolean fenced = why == SessionError.FENCED && mount < fencedBefore;
    if (!beyond && !fenced && !excuses.contains(why)) {
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
