package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;

/**
 * A mounted volume as requests see it: whole blocks, until the session ends. A future has the
 * effect that ended its request: {@code Done}, {@code ZeroMap} or {@code Failed}. Buffers belong to
 * the session until then. Every method is to be called on the volume's loop.
 */
interface BlockSession {
  /** Reads blocks into the remaining bytes of {@code into}. */
  CompletableFuture<SessionEffect.Outcome> read(long firstBlock, ByteBuffer into);

  /**
   * Writes the remaining bytes of {@code data}.
   *
   * @param sync on disk on three DataNodes before it is done
   */
  CompletableFuture<SessionEffect.Outcome> write(long firstBlock, ByteBuffer data, boolean sync);

  /** Makes {@code count} blocks zeros. */
  CompletableFuture<SessionEffect.Outcome> zero(long firstBlock, long count, boolean sync);

  /** Asks which of {@code count} blocks read as zeros. */
  CompletableFuture<SessionEffect.Outcome> zeroMap(long firstBlock, long count);

  /** Is done when everything acknowledged before is on disk. */
  CompletableFuture<SessionEffect.Outcome> flush();

  /** Takes no more requests, and ends when those before are done. */
  void close();

  /** Whether the session ended so with its lease: then nobody need have taken the volume. */
  boolean endedWithLease(SessionError why);

  /** What a user sees of a request that failed for this. */
  SalusException exception(SessionError why);
}
