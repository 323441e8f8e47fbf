package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
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
   *
   * @throws IOException if a directory of its data has a path that HDFS would misread
   */
  public static DataNode start(Configuration conf) throws IOException {
    List<StorageLocation> locations = DataNode.getStorageLocations(conf);
    for (StorageLocation location : locations) {
      requirePlain(location.getUri());
    }
    for (StorageLocation location : locations) {
      TornReplicas.cut(Path.of(location.getUri()));
    }
    Configuration guarded = new Configuration(conf);
    guarded.setClass(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
        GuardedDataset.class,
        FsDatasetSpi.Factory.class);
    return DataNode.createDataNode(new String[0], guarded);
  }

  /** A stock DataNode takes the encoded form of a URI for the path, so it would use another one. */
  private static void requirePlain(URI directory) throws IOException {
    if (!directory.getRawPath().equals(directory.getPath())) {
      throw new IOException(
          DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY
              + " has "
              + directory.getPath()
              + ", which HDFS cannot use: choose a path of letters from a to z, digits and"
              + " . _ - + = @ ~, or make a link with such a path to it");
    }
  }
}
