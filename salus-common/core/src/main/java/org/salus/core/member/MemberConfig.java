package org.salus.core.member;

/**
 * @param resendAfterNanos after this long without progress a member repeats what the session
 *     cannot: messages of the opening and control records
 * @param maxLiveSegments segments that wait for their flush; with more, writes wait
 */
public record MemberConfig(long resendAfterNanos, int maxLiveSegments) {
  /** What servers use: 500 ms. */
  public static final long RESEND_AFTER_NANOS = 500_000_000;
}
