/**
 * Microbenchmarks of Netty handlers.
 *
 * <p>Invariant: handlers run in an embedded channel; no benchmark opens a socket.
 */
package org.salus.benchmarks.micro.netty;
