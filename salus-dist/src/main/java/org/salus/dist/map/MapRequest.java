package org.salus.dist.map;

import java.util.List;

/**
 * What {@code salus map} is asked for.
 *
 * @param device the name of the device, such as {@code nbd0}; null for any free one
 * @param timeout how many seconds requests wait for a bridge that is away
 * @param bridge the bridge that serves the volume; null if one is to be started
 * @param arguments the arguments for {@code salus nbd} that say which cluster it is
 * @param force whether a bridge that is started for a new mapping takes the volume over
 */
public record MapRequest(
    String volume,
    String device,
    boolean readOnly,
    int timeout,
    BridgeAddress bridge,
    List<String> arguments,
    boolean force) {}
