package org.salus.master.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.salus.core.Quota;
import org.salus.core.path.VolumePath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the quotas of the directories in which volumes and HBase have their files. The NameNode
 * counts all files of a directory without a quota, so it is asked now and then only, even if it
 * fails. Then the quotas that were read last stand. Calls block. For one thread.
 */
public final class QuotaReader {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaReader.class);
  static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FileSystem fileSystem;
  private final Path hbase;
  private final LongSupplier clock;
  private List<Quota> read = List.of();
  private long asked;
  private String failure = "";

  /**
   * @param hbase the directory of HBase, {@code hbase.rootdir}
   */
  public QuotaReader(FileSystem fileSystem, Path hbase) {
    this(fileSystem, hbase, System::nanoTime);
  }

  /**
   * @param clock nanoseconds
   */
  QuotaReader(FileSystem fileSystem, Path hbase, LongSupplier clock) {
    this.fileSystem = fileSystem;
    this.hbase = hbase;
    this.clock = clock;
    this.asked = clock.getAsLong() - PERIOD_NANOS;
  }

  /** The quotas, 30 s old at most while the NameNode tells them; none if it never has. */
  public List<Quota> read() {
    long now = clock.getAsLong();
    if (now - asked >= PERIOD_NANOS) {
      asked = now;
      try {
        read = ask();
        failure = "";
      } catch (IOException failed) {
        String why = String.valueOf(failed.getMessage());
        if (!why.equals(failure)) { // once, not every 30 s
          failure = why;
          LOG.warn("the NameNode does not tell its quotas: {}", why);
        }
      }
    }
    return read;
  }

  private List<Quota> ask() throws IOException {
    List<Quota> quotas = new ArrayList<>();
    for (Path directory : List.of(new Path("/"), new Path(VolumePath.ROOT), hbase)) {
      try {
        quotas.add(of(directory, fileSystem.getQuotaUsage(directory)));
      } catch (FileNotFoundException none) {
        continue; // it is made later
      }
    }
    return quotas;
  }

  private static Quota of(Path directory, QuotaUsage usage) {
    String path = directory.toUri().getPath();
    return new Quota(
        path,
        !path.equals(VolumePath.ROOT),
        usage.getQuota(),
        usage.getFileAndDirectoryCount(),
        usage.getSpaceQuota(),
        usage.getSpaceConsumed());
  }
}
