package org.salus.client;

import java.time.Duration;

/**
 * What a volume's handle is doing and has done since it was opened. The numbers are taken one after
 * the other while requests go on, so they may be of slightly different moments. Immutable.
 *
 * @param outstandingRequests requests that were called and have not ended
 * @param outstandingBytes bytes of memory that they hold, as estimated
 * @param oldestOutstanding how long ago the oldest of them was called; zero if there is none
 * @param reads reads that succeeded
 * @param readBytes bytes that they read
 * @param writes writes that succeeded; a large one counts once for each of its parts
 * @param writtenBytes bytes that they wrote
 * @param zeroings calls of {@code writeZeroes} that succeeded
 * @param zeroedBytes bytes that they made zeros
 * @param flushes flushes that succeeded
 * @param failures requests that failed, of any kind
 * @param slow requests that ended, well or not, more than a second after their call
 */
public record VolumeStatistics(
    long outstandingRequests,
    long outstandingBytes,
    Duration oldestOutstanding,
    long reads,
    long readBytes,
    long writes,
    long writtenBytes,
    long zeroings,
    long zeroedBytes,
    long flushes,
    long failures,
    long slow) {
  /** Of a volume that counts nothing. */
  public static final VolumeStatistics NONE =
      new VolumeStatistics(0, 0, Duration.ZERO, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
