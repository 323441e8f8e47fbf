package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;

/** Records the beginnings and ends of sessions. */
final class RecordingListener implements SessionHost.Listener {
  int mounted;
  final List<SessionError> ends = new ArrayList<>();

  @Override
  public void mounted(SessionHost session) {
    mounted++;
  }

  @Override
  public void wentBack(SessionHost session, SessionEffect.WentBack loss) {
    throw new AssertionError(loss);
  }

  @Override
  public void ended(SessionHost session, SessionError why) {
    ends.add(why);
  }
}
