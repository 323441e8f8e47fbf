package org.salus.master;

import org.salus.core.replacement.DataNodeState;

/**
 * What the NameNode says of one DataNode that is alive.
 *
 * @param state its state; never FULL, because that depends on what it is to take
 * @param remaining the bytes for which it has room
 */
public record DataNodeReport(DataNodeState state, long remaining) {}
