/**
 * One member of a replicated region server (paper §4.2.3): {@link
 * org.salus.core.member.RegionMember} takes messages and the results of its I/O and returns
 * effects. Inside it, {@link org.salus.core.member.EpochOpening} brings an epoch up, {@link
 * org.salus.core.member.RecordTail} certifies and appends records in order, {@link
 * org.salus.core.member.LaneLeader} decides batches for one lane, {@link
 * org.salus.core.member.RegionIndex} knows where each block is and what it hashes to.
 *
 * <p>Invariants: a member votes for a sub-batch only when the record and its certificate are on its
 * own replica; what it serves is committed in its lane or in all; it never acts on a message of
 * another epoch.
 */
package org.salus.core.member;
