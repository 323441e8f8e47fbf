/**
 * One member of a replicated region server (paper §4.2.3): {@link
 * org.salus.core.member.RegionMember} takes messages and the results of its I/O and returns
 * effects. It has these parts:
 *
 * <ul>
 *   <li>{@link org.salus.core.member.EpochOpening} opens an epoch.
 *   <li>{@link org.salus.core.member.OpeningDriver} leads it through its steps.
 *   <li>{@link org.salus.core.member.ChainMember} checks records, signs them and votes; {@link
 *       org.salus.core.member.RecordRelay} hands them along the chain.
 *   <li>{@link org.salus.core.member.RecordTail} appends records and their certificates in order.
 *   <li>{@link org.salus.core.member.LaneLeader} decides batches for one lane.
 *   <li>{@link org.salus.core.member.ReadService} answers reads; {@link
 *       org.salus.core.member.RegionIndex} knows where each block is, and its hash.
 *   <li>{@link org.salus.core.member.Housekeeper} flushes and compacts.
 * </ul>
 *
 * <p>Invariants: a member votes for a sub-batch only when it is prepared here. It serves only what
 * is committed in its lane or in all. It never acts on a message of another epoch.
 */
package org.salus.core.member;
