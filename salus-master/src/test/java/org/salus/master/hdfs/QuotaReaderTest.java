package org.salus.master.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;
import org.salus.core.Quota;

class QuotaReaderTest {
  private final Files files = new Files();
  private long now = 7;
  private final QuotaReader reader = new QuotaReader(files, new Path("/hbase"), () -> now);

  /** Has a quota for names on every directory but the one that is missing. */
  private static final class Files extends RawLocalFileSystem {
    final List<String> asked = new ArrayList<>();
    String missing = "";
    String failure = "";

    @Override
    public QuotaUsage getQuotaUsage(Path directory) throws IOException {
      String path = directory.toUri().getPath();
      asked.add(path);
      if (path.equals(missing)) {
        throw new FileNotFoundException(path);
      } else if (!failure.isEmpty()) {
        throw new IOException(failure);
      }
      return new QuotaUsage.Builder()
          .quota(100)
          .fileAndDirectoryCount(9)
          .spaceQuota(-1)
          .spaceConsumed(5)
          .build();
    }
  }

  private static Quota quota(String directory, boolean bindsHBase) {
    return new Quota(directory, bindsHBase, 100, 9, -1, 5);
  }

  @Test
  void onlyVolumesAreBoundByTheQuotaOfTheirDirectory() {
    assertThat(reader.read())
        .containsExactly(quota("/", true), quota("/salus", false), quota("/hbase", true));
    assertThat(files.asked).containsExactly("/", "/salus", "/hbase");
  }

  @Test
  void aDirectoryThatIsMadeLaterHasNoQuota() {
    files.missing = "/salus";
    assertThat(reader.read()).containsExactly(quota("/", true), quota("/hbase", true));
  }

  @Test
  void aNameNodeThatFailsIsAskedAgainAfterThePeriodOnlyAndTheLastQuotasStand() {
    files.failure = "timed out";
    assertThat(reader.read()).isEmpty();
    now += QuotaReader.PERIOD_NANOS - 1;
    assertThat(reader.read()).isEmpty();
    assertThat(files.asked).hasSize(1);

    now++;
    files.failure = "";
    List<Quota> known = reader.read();
    assertThat(known).hasSize(3);
    now += QuotaReader.PERIOD_NANOS;
    files.failure = "timed out";
    assertThat(reader.read()).isEqualTo(known);
    assertThat(reader.read()).isEqualTo(known);
    assertThat(files.asked).hasSize(5);
  }
}
