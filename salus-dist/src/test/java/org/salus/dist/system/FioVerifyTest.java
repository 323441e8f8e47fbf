package org.salus.dist.system;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** fio writes at odd places in odd sizes over several connections, and checks every byte. */
@Tag("cluster")
class FioVerifyTest {
  private static final int CONNECTIONS = 3;

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"small:256M:4K", "large:256M:256K"})
  void whatIsWrittenInRandomSizesAndAlignmentsVerifies(String volume) throws Exception {
    try (StandaloneProcess cluster = StandaloneProcess.start(dir.resolve("data"), volume)) {
      Shell.run(
          "fio",
          "--ioengine=nbd",
          "--uri=" + cluster.uri(),
          "--name=verify",
          "--rw=randwrite",
          "--bsrange=512-128k",
          "--blockalign=512",
          "--bs_unaligned",
          "--iodepth=16",
          "--numjobs=" + CONNECTIONS,
          "--size=48M",
          "--offset_increment=64M",
          "--io_size=32M",
          "--verify=crc32c",
          "--verify_fatal=1",
          "--do_verify=1",
          "--randseed=20261121",
          "--verify_state_save=0");
      smallWritesInOrder(cluster.uri());
      cluster.stop();
    }
  }

  /** Each block is changed in several parts, while earlier ones are under way, between flushes. */
  private static void smallWritesInOrder(String uri) throws Exception {
    Shell.run(
        "fio",
        "--ioengine=nbd",
        "--uri=" + uri,
        "--name=small",
        "--rw=write",
        "--bsrange=512-3k",
        "--blockalign=512",
        "--bs_unaligned",
        "--iodepth=32",
        "--fsync=100",
        "--offset=32M",
        "--size=8M",
        "--verify=crc32c",
        "--verify_fatal=1",
        "--do_verify=1",
        "--randseed=20261122",
        "--verify_state_save=0");
  }
}
