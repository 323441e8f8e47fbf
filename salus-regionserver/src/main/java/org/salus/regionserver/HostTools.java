package org.salus.regionserver;

import java.util.concurrent.Executor;
import org.salus.common.netty.Loops;
import org.salus.common.zk.ClusterStore;
import org.salus.common.zk.ServerDirectory;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * What all members of one server share.
 *
 * @param node the server's name
 * @param startCode of this process
 * @param reads runs reads of replicas, many at once
 */
record HostTools(
    String node, long startCode, ClusterStore store, ServerDirectory servers, RegionStores stores, Router router, Loops loops, Executor reads,
    byte[] secret) {}
