package org.salus.master.hbase;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** File systems that are not HBase's. */
final class OwnFiles {
  private OwnFiles() {}

  /**
   * Opens a file system whose calls fail when the NameNode is away or in safe mode. Those of HBase
   * may be set to wait for that.
   *
   * @param ofHBase HBase's configuration
   */
  static FileSystem open(URI uri, Configuration ofHBase) throws IOException {
    Configuration conf = new Configuration(ofHBase);
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false);
    return FileSystem.newInstance(uri, conf);
  }
}
