package org.salus.client;

import org.salus.core.effect.SessionEffect;

/**
 * Keeps why a session ended with an integrity error, for the message of its failed requests. For
 * one thread.
 */
final class IntegrityReason {
  private String what;

  /** Keeps a report that is about no single member: such a report ends the session. */
  void note(SessionEffect.Report r) {
    if (r.lane() < 0) {
      what = (r.region() < 0 ? "" : "region " + r.region() + ": ") + r.what();
    }
  }

  /**
   * The exception for a failed request. It says what is missing and the way out, or where to look
   * for them.
   */
  SalusException.Integrity exception(String volume) {
    return new SalusException.Integrity(
        "volume "
            + volume
            + ": "
            + (what != null
                ? what
                : "no member has what the volume tree says; see the log, or SalusClient.info, for which blocks"));
  }
}
