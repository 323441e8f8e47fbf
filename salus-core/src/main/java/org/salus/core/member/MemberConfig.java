package org.salus.core.member;

/**
 * @param maxLiveSegments segments that wait for their flush; with more, writes wait
 * @param resendAfterNanos after this long without progress a member repeats what the session cannot: messages of the
 *     opening and control records
 */
public record MemberConfig(long resendAfterNanos, int maxLiveSegments) {}
