/**
 * Checkpoints (paper §4.2.3). A checkpoint has a {@link org.salus.core.checkpoint.PageEntry} for
 * each page of 128 blocks, with the leaf hashes of the blocks that it holds, and their data. {@link
 * org.salus.core.checkpoint.CheckpointBuilder} makes one of a log segment or of other checkpoints.
 * One made of a segment has no data: it says where the data is in the segment. So no block is
 * written twice before it is compacted. {@link org.salus.core.checkpoint.CheckpointWriter} writes
 * its file, and {@link org.salus.core.checkpoint.CheckpointFile} reads it.
 *
 * <p>Invariant: a checkpoint's content is a function of its inputs alone, so members with the same
 * log build the same. A newer checkpoint wins over an older one. A block that is in none reads as
 * zeros. A segment stays live while a checkpoint of level 0 refers to it.
 */
package org.salus.core.checkpoint;
