/**
 * The region log (paper §4.2.3):
 *
 * <ul>
 *   <li>{@link org.salus.core.log.LogRecord} is the framing, which the three replicas hold byte for
 *       byte.
 *   <li>{@link org.salus.core.log.SubBatch} and the other bodies are what a record says.
 *   <li>{@link org.salus.core.log.LogState} is the fold over a log by which every rule of the
 *       protocol is decided.
 * </ul>
 *
 * <p>Invariant: every decision of a member about its log is a function of the log's prefix. So
 * three members that hold the same prefix decide the same.
 */
package org.salus.core.log;
