package org.salus.dist.hbase;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.salus.core.Quota;
import org.salus.core.Reason;
import org.salus.master.hdfs.QuotaReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of the quotas in HDFS before HBase starts. HBase itself goes down with a stack trace when
 * one is used up, or waits.
 */
final class StartQuotas {
  private static final Logger LOG = LoggerFactory.getLogger(StartQuotas.class);

  private StartQuotas() {}

  /**
   * Says which quota may stop HBase or volumes. Says nothing if the NameNode cannot be asked.
   *
   * @param settings the settings of the HBase master
   * @param say takes a sentence about each such quota
   * @throws IOException when a quota stops HBase, so that the start would be in vain; the message
   *     is that sentence
   */
  static void check(Configuration settings, Consumer<String> say) throws IOException {
    tell(read(settings), say);
  }

  /** A quota that stops only volumes is no reason to throw: the master must run to delete some. */
  static void tell(List<Quota> quotas, Consumer<String> say) throws IOException {
    for (Quota quota : quotas) {
      String words = quota.reason().map(Reason::words).orElse("");
      if (quota.stopsHBase()) {
        throw new IOException(words);
      }
      if (!words.isEmpty()) {
        say.accept(words);
      }
    }
  }

  private static List<Quota> read(Configuration settings) {
    Configuration conf = new Configuration(settings);
    conf.setInt("ipc.client.connect.max.retries", 0);
    conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false);
    Path hbase = new Path(conf.get("hbase.rootdir", "/hbase"));
    try (FileSystem files = FileSystem.newInstance(hbase.toUri(), conf)) {
      return files instanceof DistributedFileSystem
          ? new QuotaReader(files, hbase).read()
          : List.of();
    } catch (IOException | IllegalArgumentException unknown) {
      // the latter for a host of HDFS that is unknown; HBase says that better
      LOG.info("the NameNode does not tell its quotas: {}", unknown.getMessage());
      return List.of();
    }
  }
}
