/**
 * The region log (paper §4.2.3): {@link org.salus.core.log.LogRecord} is the framing that the three
 * replicas hold byte for byte, {@link org.salus.core.log.SubBatch} and the other bodies what a
 * record says, {@link org.salus.core.log.LogState} the fold over a log that every rule of the
 * protocol is decided by.
 *
 * <p>Invariant: whatever a member decides about its log is a function of the log's prefix, so three
 * members that hold the same prefix decide the same.
 */
package org.salus.core.log;
