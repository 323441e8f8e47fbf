package org.salus.core.member;

/** What the volume's user relies on, as a member of an epoch that opens knows it. */
public enum Reliance {
  /** No session has said anything. */
  UNKNOWN,
  /** A session is mounting the volume for a user who relies on nothing that it knows of. */
  NONE,
  /** The log has everything that the user relies on. */
  WHOLE,
  /** The log lacks something that was acknowledged. */
  MISSING,
  /**
   * The same, for a handle that mounts the volume again. It may be gone for good, as after a power
   * cut. The handle finds that out itself, and ends.
   */
  GONE
}
