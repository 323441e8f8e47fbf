package org.salus.client;

/**
 * A server that can have members.
 *
 * @param name its host and port, as {@link VolumeInfo} names it
 * @param dataNode its DataNode as {@code ip:port}; empty if it does not run
 * @param running whether it is registered
 * @param drained whether an operator drains it
 * @param regions the number of regions that have a member there, or a replica on the DataNode
 *     beside it, or data that they still need, or for which it gets ready; as far as is known, see
 *     {@link ServerList#unknown}
 */
public record ServerInfo(
    String name, String dataNode, boolean running, boolean drained, int regions) {}
