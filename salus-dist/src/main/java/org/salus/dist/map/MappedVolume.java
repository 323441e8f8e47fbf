package org.salus.dist.map;

/**
 * A mapping as it is now.
 *
 * @param state one of the constants
 * @param bridgeProcess the process of the bridge that {@code salus map} has started; 0 when it does
 *     not run, or when it was started by somebody else
 * @param problem why it does not work, in words for users; empty when it does
 */
public record MappedVolume(
    String volume,
    String device,
    String state,
    boolean readOnly,
    int timeout,
    String bridge,
    boolean ownBridge,
    long bridgeProcess,
    String problem) {
  /** The device works. */
  public static final String ATTACHED = "attached";

  /** The device is there, and its requests wait for the bridge. */
  public static final String BRIDGE_DOWN = "bridge down";

  /** The bridge cannot serve the volume any more, and all requests fail. */
  public static final String FAILED = "failed";

  /** The device was detached by somebody else. */
  public static final String GONE = "gone";

  /** Its file cannot be read. */
  public static final String DAMAGED = "damaged";

  /** It is being mapped, or that was broken off. */
  public static final String UNFINISHED = "unfinished";
}
