package org.salus.host.netty;

import java.time.Duration;

/**
 * The limits of a connection. Both ends need the same. Immutable.
 *
 * @param maxFrame most bytes of head and payload together
 * @param heartbeat pause between heartbeats of an otherwise quiet connection
 * @param silence the time for which a peer may send nothing, not even heartbeats, or read nothing
 *     of what waits for it, before its connection is closed; counted in whole heartbeats
 * @param connectTimeout the longest time that a connect may take
 * @param maxQueued most bytes of heads and payloads that wait to be written; frames beyond it are
 *     dropped
 * @param maxAccepted most connections that a port accepts at a time from one address
 * @param maxTotal most connections that a port accepts at a time
 * @param maxUnfinished most bytes of frames longer than 64 KiB that may have come from one address
 *     and not be whole; beyond it the connection whose frame began first is closed
 */
public record FrameOptions(
    int maxFrame,
    Duration heartbeat,
    Duration silence,
    Duration connectTimeout,
    long maxQueued,
    int maxAccepted,
    int maxTotal,
    long maxUnfinished) {
  /**
   * Frames of 64 MiB, a heartbeat every 2 s, 10 s of silence, 3 s to connect, 128 MiB that wait,
   * 512 connections from one address and 8,192 in all, and 256 MiB that are not whole, or a quarter
   * of the heap.
   */
  public static final FrameOptions DEFAULT =
      new FrameOptions(
          64 << 20,
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(3),
          128 << 20,
          512,
          8192,
          Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 4));

  /** Checks the limits. */
  public FrameOptions {
    if (maxFrame < 1 || heartbeat.toMillis() < 1 || silence.compareTo(heartbeat) <= 0) {
      throw new IllegalArgumentException(
          "a frame needs bytes, and silence must last longer than a heartbeat");
    }
  }

  int silentTicks() {
    return (int) Math.max(1, silence.toMillis() / heartbeat.toMillis());
  }
}
