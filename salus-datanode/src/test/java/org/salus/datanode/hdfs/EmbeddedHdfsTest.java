package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that HDFS stops, whatever holds its DataNodes up. */
@Tag("cluster")
class EmbeddedHdfsTest {
  private static final int DATA_NODES = 3;

  @TempDir Path dir;

  /** A part of a DataNode that does not stop until it may. */
  public static final class Stuck implements ServicePlugin {
    static final CountDownLatch MAY = new CountDownLatch(1);

    @Override
    public void start(Object service) {}

    @Override
    public void stop() {
      try {
        MAY.await();
      } catch (InterruptedException neverHere) {
        throw new IllegalStateException(neverHere);
      }
    }

    @Override
    public void close() {}
  }

  @Test
  void leavesDataNodesBehindThatDoNotStop() throws Exception {
    Configuration conf = new Configuration();
    conf.set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, Stuck.class.getName());
    EmbeddedHdfs hdfs = EmbeddedHdfs.start(dir, DATA_NODES, conf);
    hdfs.stop();
    List<Thread> left =
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.getName().startsWith("stop of DataNode"))
            .toList();
    assertThat(left).hasSize(DATA_NODES);
    Stuck.MAY.countDown();
    for (Thread thread : left) {
      thread.join();
    }
  }
}
