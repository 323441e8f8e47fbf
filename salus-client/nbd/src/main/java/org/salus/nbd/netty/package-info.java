/**
 * The NBD server on Netty: {@link org.salus.nbd.netty.NbdServer} listens, a handler a connection
 * speaks the protocol.
 */
package org.salus.nbd.netty;
