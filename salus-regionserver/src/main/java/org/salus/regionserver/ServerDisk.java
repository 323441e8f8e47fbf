package org.salus.regionserver;

import java.util.List;
import java.util.function.Consumer;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.log.FilePath;
import org.salus.host.netty.Loop;
import org.salus.regionserver.hdfs.RegionStore;
import org.salus.regionserver.hdfs.RegionStores;

/**
 * What this server's members have in HDFS. Thread-safe.
 *
 * @param damaged told the path of a file whose replica on the server's DataNode a read found
 *     damaged
 */
record ServerDisk(RegionStores stores, Consumer<String> damaged) {
  /**
   * The replicas of one member.
   *
   * @param dataNodes "ip:port" of each member's DataNode in chain order
   * @param place this member's in the chain
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
