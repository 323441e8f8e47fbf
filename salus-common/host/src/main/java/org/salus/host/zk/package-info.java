/**
 * The records that servers, master and clients share in ZooKeeper, as JSON under {@code /salus}.
 * Invariants: every change names the version it replaces, so two masters cannot overwrite each
 * other; a writer's mount epoch grows in the same transaction that makes it the writer; what can be
 * expected to fail is a {@link ClusterStoreException}.
 */
package org.salus.host.zk;
