/**
 * The NBD protocol without its transport. {@link org.salus.nbd.Nbd} names its numbers; every
 * request passes {@link org.salus.nbd.RequestGate}.
 *
 * <p>Invariant: everything that a client sends ends in a reply with an errno or in a closed
 * connection, never in an exception.
 */
package org.salus.nbd;
