/**
 * The NBD protocol without its transport: {@link org.salus.nbd.Nbd} names its numbers, {@link
 * org.salus.nbd.RequestGate} is what every request passes.
 *
 * <p>Invariant: whatever a client sends ends in a reply with an errno or in a closed connection,
 * never in an exception.
 */
package org.salus.nbd;
