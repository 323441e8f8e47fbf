package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.session.block.ReadTarget;

/**
 * A mounted volume as operations see it: reads and writes whole blocks until the session ends. A
 * future completes with the effect that ended its request: {@code Done}, {@code ZeroMap} or {@code
 * Failed}. Every method must be called on the volume's loop.
 */
interface BlockSession {
  /** Reads {@code count} blocks. */
  CompletableFuture<SessionEffect.Outcome> read(long firstBlock, long count, ReadTarget into);

  /**
   * Reads one block to write it again with a part changed, see {@code VolumeSession.readToChange}.
   */
  CompletableFuture<SessionEffect.Outcome> readToChange(long block, ReadTarget into);

  /**
   * Writes the remaining bytes of {@code data}, which nobody may change from now on.
   *
   * @param sync whether the write is on disk at all members' DataNodes when it is done
   */
  CompletableFuture<SessionEffect.Outcome> write(long firstBlock, ByteBuffer data, boolean sync);

  /** Makes {@code count} blocks zeros. */
  CompletableFuture<SessionEffect.Outcome> zero(long firstBlock, long count, boolean sync);

  /** Asks which of {@code count} blocks read as zeros. */
  CompletableFuture<SessionEffect.Outcome> zeroMap(long firstBlock, long count);

  /** Completes when everything acknowledged before is on disk at all members' DataNodes. */
  CompletableFuture<SessionEffect.Outcome> flush();

  /** Takes no more requests. Ends when the earlier ones are done. */
  void close();

  /**
   * Whether an end for this reason came with the loss of the lease; another writer may or may not
   * have taken the volume.
   */
  boolean endedWithLease(SessionError why);

  /** The exception for requests that failed for this reason. */
  SalusException exception(SessionError why);
}
