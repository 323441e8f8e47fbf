/**
 * The one writer of a volume (paper §4.1, §4.3): {@link org.salus.core.session.VolumeSession}
 * mounts the volume, numbers PUTs, sends them in pipelined batches, verifies every block it reads
 * against the volume tree.
 *
 * <p>Invariants: requests take effect in the order of the calls; a write is acknowledged only when
 * all lanes have committed it; a seq never changes its meaning within a mount; no block is handed
 * out that the tree does not confirm.
 */
package org.salus.core.session;
