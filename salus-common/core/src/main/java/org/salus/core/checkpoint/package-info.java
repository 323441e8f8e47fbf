/**
 * What is in a checkpoint (paper §4.2.3): for each page of 128 blocks a {@link
 * org.salus.core.checkpoint.PageEntry} with the leaf hashes of the blocks that the checkpoint
 * holds, and their data. {@link org.salus.core.checkpoint.CheckpointBuilder} makes one out of a log
 * segment or of other checkpoints. One that is made out of a segment says where the data is there,
 * and has none itself: so no block is written twice before it is compacted. {@link
 * org.salus.core.checkpoint.CheckpointWriter} gives it its file, {@link
 * org.salus.core.checkpoint.CheckpointFile} reads it.
 *
 * <p>Invariant: what a checkpoint holds is a function of its inputs alone, so members with the same
 * log build the same. A newer checkpoint wins over an older one; a block that is in none reads as
 * zeros. A segment stays as long as a checkpoint of level 0 is made of it.
 */
package org.salus.core.checkpoint;
