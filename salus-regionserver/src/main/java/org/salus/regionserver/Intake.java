package org.salus.regionserver;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.salus.core.Endpoint;

/**
 * What one connection makes this server hold, with a limit for each kind. So a peer that asks too
 * much, or lies about who it is, takes nothing from other connections. Thread-safe.
 */
final class Intake {
  /**
   * Most sessions whose answers go to one connection. A right session names itself every second.
   */
  static final int MOST_SESSIONS = 8192;

  /** Most questions of one connection to the server itself that are not answered. */
  static final int MOST_QUESTIONS = 64;

  /** Most bytes of one connection's messages that members have not taken yet. */
  static final long MOST_BYTES = 128 << 20;

  private final Set<Endpoint.Session> sessions = new LinkedHashSet<>();
  private int questions;
  private long bytes;

  /**
   * Notes a session that speaks on this connection.
   *
   * @return the session that has to go instead, the one that came first; null if none has to
   */
  synchronized Endpoint.Session note(Endpoint.Session session) {
    sessions.add(session);
    if (sessions.size() <= MOST_SESSIONS) {
      return null;
    }
    Iterator<Endpoint.Session> oldest = sessions.iterator();
    Endpoint.Session first = oldest.next();
    oldest.remove();
    return first;
  }

  /** Counts a question until {@link #answered}. Returns false if there are too many. */
  synchronized boolean mayAsk() {
    boolean may = questions < MOST_QUESTIONS;
    questions += may ? 1 : 0;
    return may;
  }

  synchronized void answered() {
    questions--;
  }

  /** Counts a message's bytes until {@link #taken}. Returns false if there are too many. */
  synchronized boolean mayHold(long more) {
    boolean may = bytes + more <= MOST_BYTES;
    bytes += may ? more : 0;
    return may;
  }

  /** The bytes of messages that are not taken yet. */
  synchronized long bytes() {
    return bytes;
  }

  synchronized void taken(long held) {
    bytes -= held;
  }
}
