package org.salus.core.event;

import java.util.List;
import org.salus.core.log.Position;
import org.salus.core.message.Message;

/**
 * The requests that wait at a member at one moment, by what they wait for. Immutable.
 *
 * @param uncommitted the GETs and page requests that wait for the watermark
 * @param unloaded the page requests that wait for leaf hashes from checkpoints
 * @param uncertified where the sub-batches end in the log that wait for certificates, their own or
 *     an earlier record's: members after this one have not signed, or their word has not come
 * @param unwritten where the sub-batches end that the host has been asked to append, and that this
 *     member's DataNode has not acknowledged yet
 */
public record WaitingRequests(
    List<Message> uncommitted,
    List<Message> unloaded,
    List<Position> uncertified,
    List<Position> unwritten) {}
