package org.salus.nbd;

import java.time.Duration;

/**
 * What all clients of a server may use together. Immutable.
 *
 * @param memory most bytes of requests and their answers, at least twice {@link Nbd#MAX_PAYLOAD}
 * @param connections most connections
 * @param patience the time after which a client loses its connection if nothing moves between it
 *     and the server, while it holds memory for which others wait
 */
public record NbdLimits(long memory, int connections, Duration patience) {
  private static final long LEAST_MEMORY = 2L * Nbd.MAX_PAYLOAD;

  /**
   * What a connection may hold besides its requests: an option, and what a socket gives at once.
   */
  private static final int OF_CONNECTION = 256 << 10;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * @throws IllegalArgumentException when the memory or the number of connections is too small
   */
  public NbdLimits {
    if (memory < LEAST_MEMORY || connections < 1) {
      throw new IllegalArgumentException("too little for a client: " + memory + ", " + connections);
    }
  }

  /** A quarter of the heap for requests, and as much for the connections themselves. */
  public static NbdLimits ofHeap() {
    long memory = Math.max(LEAST_MEMORY, Runtime.getRuntime().maxMemory() / 4);
    return new NbdLimits(
        memory, (int) Math.min(memory / OF_CONNECTION, Integer.MAX_VALUE), PATIENCE);
  }
}
