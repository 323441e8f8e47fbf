package org.salus.core.member;

/**
 * @param resendAfterNanos nanoseconds without progress after which a member repeats what the
 *     session cannot: messages of the opening and control records
 * @param maxLiveSegments the number of unflushed segments at which writes wait for a flush
 */
public record MemberConfig(long resendAfterNanos, int maxLiveSegments) {
  /** The value that servers use: 500 ms, in nanoseconds. */
  public static final long RESEND_AFTER_NANOS = 500_000_000;

  /**
   * Most reads that wait at a member; the oldest are dropped beyond it. The session asks another
   * member for what is not answered.
   */
  static final int MOST_READS = 4096;

  /**
   * Most batches about which a lane leader keeps the votes, or the questions, of one other region
   * without knowing more of them. A session has fewer on their way.
   */
  static final int MOST_UNKNOWN = 1024;
}
