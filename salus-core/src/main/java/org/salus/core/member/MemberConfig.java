package org.salus.core.member;

/**
 * @param resendAfterNanos after this long without progress a member repeats what the session cannot: messages of the
 *     opening and control records
 * @param maxLiveSegments segments that wait for their flush; with more, writes wait
 */
public record MemberConfig(long resendAfterNanos, int maxLiveSegments) {}
