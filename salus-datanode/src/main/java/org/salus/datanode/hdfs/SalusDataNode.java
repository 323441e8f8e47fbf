package org.salus.datanode.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * Starts DataNodes: stock ones, except that {@link ReplicaGuard} is asked before they change a
 * replica.
 */
public final class SalusDataNode {
  private SalusDataNode() {}

  /**
   * Starts a DataNode. Before that, it {@linkplain TornReplicas cuts off} the parts of replicas
   * that a power cut has torn.
   */
  public static DataNode start(Configuration conf) throws IOException {
    for (StorageLocation location : DataNode.getStorageLocations(conf)) {
      TornReplicas.cut(Path.of(location.getUri()));
    }
    Configuration guarded = new Configuration(conf);
    guarded.setClass(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
        GuardedDataset.class,
        FsDatasetSpi.Factory.class);
    return DataNode.createDataNode(new String[0], guarded);
  }
}
