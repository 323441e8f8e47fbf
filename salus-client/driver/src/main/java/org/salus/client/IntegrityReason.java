package org.salus.client;

import org.salus.core.effect.SessionEffect;

/**
 * What ends a session whose volume is not what it must be, for those whose requests fail with it.
 * For one thread.
 */
final class IntegrityReason {
  private String what;

  /** Heeds what is about no member, but ends the session. */
  void note(SessionEffect.Report r) {
    if (r.lane() < 0) {
      what = (r.region() < 0 ? "" : "region " + r.region() + ": ") + r.what();
    }
  }

  /** What a user is told: what is missing and the way out, or where to look for them. */
  SalusException.Integrity exception(String volume) {
    return new SalusException.Integrity(
        "volume "
            + volume
            + ": "
            + (what != null
                ? what
                : "no member has what the volume tree says; see the log, or 'salus volume info', for which blocks"));
  }
}
