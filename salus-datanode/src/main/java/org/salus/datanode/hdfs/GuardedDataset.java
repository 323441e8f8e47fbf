package org.salus.datanode.hdfs;

import java.io.IOException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetFactory;

/**
 * Makes the replicas of a DataNode: HDFS's own, except that {@link ReplicaGuard} is asked before
 * one is cut or gets a new stamp. Hadoop makes an instance by the name of the class.
 */
public final class GuardedDataset extends FsDatasetSpi.Factory<FsDatasetSpi<?>> {

  @Override
  public FsDatasetSpi<?> newInstance(DataNode dataNode, DataStorage storage, Configuration conf)
      throws IOException {
    FsDatasetSpi<?> stock = new FsDatasetFactory().newInstance(dataNode, storage, conf);
    return (FsDatasetSpi<?>)
        Proxy.newProxyInstance(
            FsDatasetSpi.class.getClassLoader(),
            new Class<?>[] {FsDatasetSpi.class},
            new ReplicaGuard(stock, host(dataNode), conf));
  }

  private static ReplicaGuard.Host host(DataNode dataNode) {
    return new ReplicaGuard.Host() {
      @Override
      public String id() {
        return dataNode.getDatanodeUuid();
      }

      @Override
      public String address() {
        DatanodeID registered = dataNode.getDatanodeId();
        return registered == null ? "" : registered.getXferAddr();
      }

      @Override
      public void report() {
        dataNode.scheduleAllBlockReport(0);
      }
    };
  }
}
