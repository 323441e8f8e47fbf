/**
 * Flush and compaction as the region log decides them (paper §4.2.3). {@link
 * org.salus.core.compaction.BuildBody} and {@link org.salus.core.compaction.BuiltBody} are the
 * bodies of the records BUILD and BUILT. {@link org.salus.core.compaction.Checkpoints} knows which
 * checkpoints are live or being built, and has the rule by which the next is chosen. The files of
 * checkpoints are in {@link org.salus.core.checkpoint}.
 *
 * <p>Invariant: what is live and what is built next is a function of the BUILD and BUILT records
 * alone. So members with the same log name the same checkpoints.
 */
package org.salus.core.compaction;
