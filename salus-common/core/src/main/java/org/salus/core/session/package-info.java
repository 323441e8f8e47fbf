/**
 * The one writer of a volume (paper §4.1, §4.3): {@link org.salus.core.session.VolumeSession}
 * mounts the volume ({@code MountProtocol}), numbers PUTs and sends them in pipelined batches
 * ({@code WritePipeline}). It verifies every block that it reads against the volume tree ({@code
 * ReadPath}). Blocks on their way to and from the user are in {@link org.salus.core.session.block},
 * questions to members in {@link org.salus.core.session.question}.
 *
 * <p>Invariants: requests take effect in the order of the calls. A write is acknowledged only when
 * all lanes have committed it. A seq never changes its meaning within a mount. No block is returned
 * that the tree does not confirm.
 */
package org.salus.core.session;
