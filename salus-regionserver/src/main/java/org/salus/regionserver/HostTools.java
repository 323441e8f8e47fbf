package org.salus.regionserver;

import org.salus.host.metrics.Metrics;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;

/** The parts of a server that all its members share. */
record HostTools(
    ThisServer self,
    ClusterStore store,
    ServerDirectory servers,
    ServerDisk disk,
    Router router,
    ServerThreads threads,
    ConfiguredMembers members,
    Metrics metrics) {}
