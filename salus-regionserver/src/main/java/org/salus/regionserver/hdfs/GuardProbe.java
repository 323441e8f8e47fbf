package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * Asks the NameNode whether it is guarded. It has a connection of its own, which is not as patient
 * as that of the members: calls block for some seconds at most. Thread-safe.
 */
public final class GuardProbe implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;

  /** Less than the time between two questions, so that each has a connection of its own. */
  private static final int IDLE_MILLIS = 1_000;

  private final VolumeFiles files;

  /**
   * @param settings all settings of the server, Hadoop's among them
   */
  public GuardProbe(Map<String, String> settings) throws IOException {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    conf.setInt("ipc.client.connect.timeout", PATIENCE_MILLIS);
    conf.setInt("ipc.client.rpc-timeout.ms", PATIENCE_MILLIS);
    conf.setInt("ipc.client.connect.max.retries", 0);
    conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    conf.setInt("dfs.client.failover.max.attempts", 2);
    conf.setInt("ipc.client.connection.maxidletime", IDLE_MILLIS);
    files = new VolumeFiles(conf);
  }

  /**
   * Whether the NameNode that takes changes is guarded.
   *
   * @throws IOException if it does not say
   */
  public boolean isGuarded() throws IOException {
    return files.isGuarded();
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
