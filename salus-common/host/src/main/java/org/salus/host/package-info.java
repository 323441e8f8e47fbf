/**
 * The production host of the core: event loops and transport ({@code netty}), the cluster's shared
 * records ({@code zk}) and settings ({@code config}). This package has what they share. Invariant:
 * an expected failure is a value or a typed exception; only a bug reaches the {@link
 * org.salus.host.FaultHandler}.
 */
package org.salus.host;
