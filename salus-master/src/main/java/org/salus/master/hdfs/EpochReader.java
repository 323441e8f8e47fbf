package org.salus.master.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.wire.MalformedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the NameNode knows of the regions' epochs. It connects at the first question. Calls
 * block for some seconds at most. For one thread.
 */
public final class EpochReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EpochReader.class);

  /** The attribute of a region's directory, which only the NameNode's guard changes. */
  private static final String ATTRIBUTE = "user.salus.epochs";

  private static final int PATIENCE_MILLIS = 5_000;
  private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Configuration conf;
  private FileSystem fileSystem;
  private boolean told;
  private long toldAt;

  /**
   * @param settings all settings of the master
   */
  public EpochReader(Map<String, String> settings) {
    conf = new Configuration(false);
    settings.forEach(conf::set);
    // The regions of all volumes wait for an answer, and the next round asks again.
    conf.setInt("ipc.client.connect.timeout", PATIENCE_MILLIS);
    conf.setInt("ipc.client.rpc-timeout.ms", PATIENCE_MILLIS);
    conf.setInt("ipc.client.connect.max.retries", 0);
    conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false);
  }

  /**
   * Returns what the NameNode knows of a region's epochs, or null while it cannot be asked. Logs
   * that once a minute.
   */
  public EpochRegister read(VolumeSpec spec, int region) {
    String directory = FilePath.directory(spec, region);
    try {
      if (fileSystem == null) {
        fileSystem = FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
      }
      byte[] kept = fileSystem.getXAttrs(new Path(directory)).get(ATTRIBUTE);
      return kept == null ? EpochRegister.NONE : EpochRegister.decode(kept);
    } catch (FileNotFoundException none) {
      return EpochRegister.NONE;
    } catch (IOException | MalformedException | IllegalArgumentException failed) {
      // the last for a host of HDFS that is unknown
      tell(directory, failed);
      return null;
    }
  }

  private void tell(String directory, Exception failed) {
    long now = System.nanoTime();
    if (!told || now - toldAt > TELL_NANOS) {
      told = true;
      toldAt = now;
      LOG.warn(
          "no epoch can be opened, because the NameNode of {} does not tell the epochs of {}: {}",
          FileSystem.getDefaultUri(conf),
          directory,
          failed.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
  }
}
