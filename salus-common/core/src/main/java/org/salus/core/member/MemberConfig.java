package org.salus.core.member;

/**
 * @param resendAfterNanos nanoseconds without progress after which a member repeats what the
 *     session cannot: messages of the opening and control records
 * @param maxLiveSegments the number of unflushed segments at which writes wait for a flush
 */
public record MemberConfig(long resendAfterNanos, int maxLiveSegments) {
  /** The value that servers use: 500 ms, in nanoseconds. */
  public static final long RESEND_AFTER_NANOS = 500_000_000;
}
