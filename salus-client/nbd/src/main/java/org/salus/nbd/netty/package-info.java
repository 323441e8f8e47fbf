/**
 * The NBD server on Netty. {@link org.salus.nbd.netty.NbdServer} listens; one handler for each
 * connection speaks the protocol.
 */
package org.salus.nbd.netty;
