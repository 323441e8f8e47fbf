package org.salus.regionserver;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * What all members of one server share.
 *
 * @param node the server's name
 * @param startCode of this process
 * @param notes runs what is noted in ZooKeeper: it does not wait for HDFS
 * @param members makes members
 * @param damaged told the path of a file whose replica on the server's DataNode a read found
 *     damaged
 */
record HostTools(
    String node,
    long startCode,
    ClusterStore store,
    ServerDirectory servers,
    RegionStores stores,
    Router router,
    Loops loops,
    MemberHost.Pools pools,
    Executor notes,
    MemberFactory members,
    int maxLiveSegments,
    byte[] secret,
    Consumer<String> damaged) {}
