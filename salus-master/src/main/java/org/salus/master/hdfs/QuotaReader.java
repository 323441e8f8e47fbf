package org.salus.master.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.salus.core.Quota;
import org.salus.core.log.VolumePath;

/**
 * Reads the quotas of the directories in which volumes and HBase have their files. The NameNode
 * counts all files of a directory without a quota, so it is asked now and then only. Calls block.
 * For one thread.
 */
public final class QuotaReader {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FileSystem fileSystem;
  private final Path hbase;
  private List<Quota> read = List.of();
  private long asked = System.nanoTime() - PERIOD_NANOS;

  /**
   * @param hbase the directory of HBase, {@code hbase.rootdir}
   */
  public QuotaReader(FileSystem fileSystem, Path hbase) {
    this.fileSystem = fileSystem;
    this.hbase = hbase;
  }

  /** The quotas, 30 s old at most. */
  public List<Quota> read() throws IOException {
    if (System.nanoTime() - asked >= PERIOD_NANOS) {
      List<Quota> now = new ArrayList<>();
      for (Path directory : List.of(new Path("/"), new Path(VolumePath.ROOT), hbase)) {
        try {
          now.add(of(directory, fileSystem.getQuotaUsage(directory)));
        } catch (FileNotFoundException none) {
          continue; // it is made later
        }
      }
      read = now;
      asked = System.nanoTime();
    }
    return read;
  }

  private static Quota of(Path directory, QuotaUsage usage) {
    return new Quota(
        directory.toUri().getPath(),
        usage.getQuota(),
        usage.getFileAndDirectoryCount(),
        usage.getSpaceQuota(),
        usage.getSpaceConsumed());
  }
}
