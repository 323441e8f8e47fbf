package org.salus.datanode.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;

/** Starts stock DataNodes. */
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
    return DataNode.createDataNode(new String[0], conf);
  }
}
