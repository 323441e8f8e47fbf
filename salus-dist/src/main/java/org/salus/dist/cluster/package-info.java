/**
 * A cluster in processes of their own: {@link org.salus.dist.cluster.Daemon} is one of them from
 * within, {@link org.salus.dist.cluster.DaemonProcess} from outside, {@link
 * org.salus.dist.cluster.LocalCluster} all of them on one machine.
 *
 * <p>Invariant: what a daemon needs to know stands in its configuration file; nothing else is
 * shared.
 */
package org.salus.dist.cluster;
