/**
 * The replicated region server inside an HBase region server: {@link
 * org.salus.regionserver.MemberHost} drives the core's region member in production.
 *
 * <p>Invariant: a member is called only on its loop. Blocking work on its log runs on its own I/O
 * executor, in order.
 */
package org.salus.regionserver;
