package org.salus.dist.system;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.hbase.LocalCluster;

/** HDFS of a cluster, as its operator's commands reach it. */
final class HdfsOf {
  private HdfsOf() {}

  static DFSClient cluster(LocalCluster cluster) throws IOException {
    Configuration conf = settings(cluster);
    return new DFSClient(FileSystem.getDefaultUri(conf), conf);
  }

  static DistributedFileSystem files(LocalCluster cluster) throws IOException {
    Configuration conf = settings(cluster);
    return (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  private static Configuration settings(LocalCluster cluster) {
    Configuration conf = new Configuration();
    conf.addResource(new Path(DataDirectory.settings(cluster.dir()).toUri()));
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false); // tests fail, and soon
    return conf;
  }
}
