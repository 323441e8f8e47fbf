package org.salus.regionserver;

import org.salus.common.netty.Loops;
import org.salus.common.zk.ClusterStore;
import org.salus.common.zk.ServerDirectory;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * What all members of one server share.
 *
 * @param node the server's name
 * @param startCode of this process
 */
record HostTools(
    String node, long startCode, ClusterStore store, ServerDirectory servers, RegionStores stores, Router router, Loops loops, MemberHost.Pools pools,
    int maxLiveSegments, byte[] secret) {}
