package org.salus.core.log;

/**
 * One PUT of a sub-batch: {@code count} blocks from {@code local} on become zeros (no payload), or
 * one block becomes the next block of the payload.
 *
 * @param seq the PUT's number in the volume
 * @param local index of the (first) block in its region
 * @param count blocks; 1 for data
 * @param leafHash hash of the block's bytes, or null for zeros
 */
public record Put(long seq, long local, int count, byte[] leafHash) {

  public boolean zero() {
    return leafHash == null;
  }
}
