/**
 * What is in a checkpoint (paper §4.2.3), whatever its file looks like: for each page of 128 blocks a {@link
 * org.salus.core.checkpoint.PageEntry} with the leaf hashes of the blocks that the checkpoint holds, and their data. {@link
 * org.salus.core.checkpoint.CheckpointBuilder} makes one out of a log segment or of other checkpoints.
 *
 * <p>Invariant: what a checkpoint holds is a function of its inputs alone, so members with the same log build the same. A
 * newer checkpoint wins over an older one; a block that is in none reads as zeros.
 */
package org.salus.core.checkpoint;
