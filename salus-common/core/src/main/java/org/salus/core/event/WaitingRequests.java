package org.salus.core.event;

import java.util.List;
import org.salus.core.log.Position;
import org.salus.core.message.Message;

/**
 * The requests that wait at a member at one moment. Immutable.
 *
 * @param reads the GETs and page requests that wait for the watermark or for leaf hashes
 * @param batches where the sub-batches are in the log that are not written to this member's replica
 *     yet: their certificates are not here, or the DataNode has not acknowledged them
 */
public record WaitingRequests(List<Message> reads, List<Position> batches) {}
