/**
 * The records that servers, master and clients share in ZooKeeper, as JSON under {@code /salus}.
 *
 * <p>Invariants: every change of an RRS record names the version that it replaces, so that two
 * masters cannot overwrite each other. A mount epoch grows in the same transaction that makes its
 * client the writer. An expected failure is a {@link ClusterStoreException}.
 */
package org.salus.host.zk;
