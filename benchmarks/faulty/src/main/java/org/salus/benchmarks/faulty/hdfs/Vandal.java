package org.salus.benchmarks.faulty.hdfs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the NameNode to delete, rename and truncate a directory's files, though nobody agreed on it.
 * Thread-safe.
 */
public final class Vandal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Vandal.class);

  private final VolumeFiles files;
  private final FileSystem plain;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(DaemonThreads.named("vandal"));

  public Vandal(Map<String, String> settings) throws IOException {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    files = new VolumeFiles(conf);
    plain = FileSystem.newInstance(conf);
  }

  /**
   * Tries all of it once in the background, unless an earlier attack still runs. The permissions
   * were given for other changes.
   */
  public void attack(String directory, List<byte[]> permissions) {
    if (!busy.compareAndSet(false, true)) {
      return;
    }
    thread.execute(
        () -> {
          try {
            for (FileStatus f : plain.listStatus(new Path(directory))) {
              String path = directory + "/" + f.getPath().getName();
              attempt(() -> plain.delete(new Path(path), false));
              attempt(() -> plain.rename(new Path(path), new Path(directory + "/away")));
              attempt(() -> plain.truncate(new Path(path), 1));
              for (byte[] permission : permissions) {
                attempt(() -> files.delete(path, permission));
              }
            }
            attempt(() -> plain.delete(new Path(directory), true));
          } catch (IOException failed) {
            LOG.info("cannot list {}: {}", directory, failed.toString());
          } finally {
            busy.set(false);
          }
        });
  }

  private interface Deed {
    boolean run() throws IOException;
  }

  private static void attempt(Deed deed) {
    try {
      LOG.info("a deed nobody agreed on was {}", deed.run() ? "done" : "in vain");
    } catch (IOException refused) {
      LOG.debug("refused: {}", refused.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      plain.close();
      files.close();
    } catch (IOException failed) {
      LOG.info("closing HDFS: {}", failed.toString());
    }
  }
}
