package org.salus.regionserver;

import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;

/** What all members of one server share. */
record HostTools(
    ThisServer self,
    ClusterStore store,
    ServerDirectory servers,
    ServerDisk disk,
    Router router,
    ServerThreads threads,
    MemberMaker members) {}
