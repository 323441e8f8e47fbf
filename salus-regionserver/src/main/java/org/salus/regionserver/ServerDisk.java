package org.salus.regionserver;

import java.util.List;
import java.util.function.Consumer;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath;
import org.salus.host.netty.Loop;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * This server's access to its members' replicas in HDFS. Thread-safe.
 *
 * @param stores the way to HDFS
 * @param damaged gets the path of each file whose replica on this server's DataNode a read found
 *     damaged
 */
record ServerDisk(RegionStores stores, Consumer<String> damaged) {
  /**
   * Opens the replicas of one member.
   *
   * @param dataNodes "ip:port" of each member's DataNode in chain order
   * @param place this member's place in the chain, from 0
   * @param loop writes to the own DataNode
   */
  RegionStore open(VolumeSpec spec, RegionId region, List<String> dataNodes, int place, Loop loop) {
    return stores.open(
        spec,
        region,
        dataNodes,
        place,
        loop,
        (kind, number) -> damaged.accept(FilePath.of(spec, region.index(), kind, number)));
  }
}
