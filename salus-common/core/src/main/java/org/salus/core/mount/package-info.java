/**
 * Keeps a volume mounted for its user: when a client mounts again, when it waits, when it ends,
 * what an open handle may go on with, and when the lease of its reads stands. The driver and the
 * simulator host {@link org.salus.core.mount.MountKeeper}.
 */
package org.salus.core.mount;
