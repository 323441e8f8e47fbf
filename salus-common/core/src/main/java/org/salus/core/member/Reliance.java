package org.salus.core.member;

/** What the volume's user relies on, as a member of an epoch that opens knows it. */
public enum Reliance {
  /** No session has said anything. */
  UNKNOWN,
  /** A session is mounting the volume. No user goes on with an earlier one. */
  NONE,
  /** The log has everything that the session's user relies on. */
  WHOLE,
  /** The log lacks something that was acknowledged. */
  MISSING
}
