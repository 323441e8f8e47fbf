package org.salus.sim.check;

import java.util.TreeSet;
import org.salus.core.effect.SessionError;

/**
 * While the DataNodes stay full, a user's writes end at most one session. Each further mount would
 * take of the room that is kept free in the logs for mounts.
 */
public final class QuietWhenFull implements Checker {
  private final TreeSet<String> refused = new TreeSet<>();
  private boolean excused;

  @Override
  public void roomChanged() {
    refused.clear();
  }

  @Override
  public void spoiled(int lane) {
    excused = true; // a wrong M0 says what it likes
  }

  @Override
  public void beyondPromise() {
    excused = true;
  }

  @Override
  public void sessionEnded(String user, long mount, SessionError why) {
    if (why == SessionError.NO_SPACE && !refused.add(user) && !excused) {
      throw new Violation(
          "quiet when full",
          "mount " + mount + " of " + user + " ended for want of room once more");
    }
  }
}
