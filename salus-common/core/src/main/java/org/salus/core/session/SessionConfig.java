package org.salus.core.session;

/**
 * @param maxBatches the most batches outstanding at once
 * @param maxBatchPuts the most PUTs in a batch
 * @param resendAfterNanos nanoseconds without effect after which a message is repeated, with
 *     back-off
 * @param requestTimeoutNanos nanoseconds after which a request fails
 * @param pagesPerRegion the number of pages of each region's tree kept in memory
 * @param readBytesPerRegion the most bytes of each region's reads under way at once; a read of one
 *     stripe may go beyond it when no other is under way
 * @param recentBytes the most bytes of the newest writes that are kept, so that a change of a part
 *     of a block needs no read
 */
public record SessionConfig(
    int maxBatches,
    int maxBatchPuts,
    long resendAfterNanos,
    long requestTimeoutNanos,
    int pagesPerRegion,
    int readBytesPerRegion,
    long recentBytes) {

  /**
   * The defaults: 16 batches of 256 PUTs, 1 s, 5 minutes, 2048 pages (16 MiB) and reads of 16 MiB a
   * region, 4 MiB of recent writes.
   */
  public static SessionConfig defaults() {
    return new SessionConfig(16, 256, 1_000_000_000L, 300_000_000_000L, 2048, 16 << 20, 4 << 20);
  }
}
