package org.salus.core.session;

/**
 * @param maxBatches batches outstanding at most
 * @param maxBatchPuts PUTs in a batch at most
 * @param resendAfterNanos a message that led to nothing for so long is repeated, with back-off
 * @param requestTimeoutNanos a request that takes longer fails
 * @param pagesPerRegion pages of a region's tree kept in memory
 */
public record SessionConfig(
    int maxBatches,
    int maxBatchPuts,
    long resendAfterNanos,
    long requestTimeoutNanos,
    int pagesPerRegion) {

  /** 16 batches of 256 PUTs, 1 s, 5 minutes, 2048 pages (16 MiB) a region. */
  public static SessionConfig defaults() {
    return new SessionConfig(16, 256, 1_000_000_000L, 300_000_000_000L, 2048);
  }
}
