package org.salus.dist.system;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten times the memory is written: logs are flushed, checkpoints merged, and nothing of it is held.
 */
@Tag("cluster")
class BoundedMemoryTest {
  private static final int HEAP_MIB = 448;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void tenTimesTheHeapIsWrittenAndReadBack() throws Exception {
    try (StandaloneProcess cluster =
        StandaloneProcess.startWith(
            "-Xmx" + HEAP_MIB + "m",
            dir.resolve("data"),
            "disk0:1G",
            "-D",
            "salus.segment.size=16m")) {
      Shell.run(
          "fio",
          "--ioengine=nbd",
          "--uri=" + cluster.uri(),
          "--name=fill",
          "--rw=randwrite",
          "--bs=256k",
          "--iodepth=8",
          "--size=768M",
          "--norandommap",
          "--io_size=" + 10 * HEAP_MIB + "M",
          "--randseed=1");
      Shell.run(
          "fio",
          "--ioengine=nbd",
          "--uri=" + cluster.uri(),
          "--name=verify",
          "--rw=write",
          "--bs=1M",
          "--iodepth=8",
          "--size=512M",
          "--verify=crc32c",
          "--verify_fatal=1",
          "--do_verify=1",
          "--verify_state_save=0");
      cluster.stop();
    }
  }
}
