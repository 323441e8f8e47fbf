package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.salus.host.DaemonThreads;
import org.salus.host.EndingThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate-checking NameNode and some DataNodes in this process, each DataNode on a loopback
 * address of its own. A start on the same directory has the same ports and the same data.
 */
public final class EmbeddedHdfs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedHdfs.class);
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final HdfsSettings settings;
  private final List<DataNode> dataNodes = new ArrayList<>();
  private final NameNode nameNode;

  private EmbeddedHdfs(HdfsSettings settings, NameNode nameNode) {
    this.settings = settings;
    this.nameNode = nameNode;
  }

  /**
   * Starts, and returns when all DataNodes can take blocks. {@code base} overrides nothing of
   * {@link HdfsSettings}.
   */
  public static EmbeddedHdfs start(Path dir, int dataNodes, Configuration base) throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    HdfsSettings settings = HdfsSettings.of(dir, ServerAddresses.LOOPBACK, dataNodes, base);
    EmbeddedHdfs hdfs = new EmbeddedHdfs(settings, SalusNameNode.start(settings.nameNode()));
    try {
      for (int i = 0; i < dataNodes; i++) {
        hdfs.dataNodes.add(SalusDataNode.start(settings.dataNode(i)));
      }
      hdfs.awaitReady();
      return hdfs;
    } catch (IOException | RuntimeException e) {
      hdfs.stop();
      throw e;
    }
  }

  private void awaitReady() throws IOException {
    long end = System.nanoTime() + START_NANOS;
    while (!ready()) {
      if (System.nanoTime() > end) {
        throw new IOException(
            "HDFS in "
                + settings.dir()
                + " is not ready after "
                + TimeUnit.NANOSECONDS.toSeconds(START_NANOS)
                + " s");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean ready() throws IOException {
    return HdfsReadiness.takesBlocks(nameNode.getRpcServer(), dataNodes.size())
        && dataNodes.stream().allMatch(DataNode::isDatanodeFullyStarted);
  }

  public HdfsSettings settings() {
    return settings;
  }

  /** For clients. */
  public Configuration conf() {
    return settings.nameNode();
  }

  /** For {@code fs.defaultFS}. */
  public URI nameNodeUri() {
    return settings.nameNodeUri();
  }

  /** Configuration of a DataNode, for clients that are on its host. */
  public Configuration dataNodeConf(int i) {
    return settings.dataNode(i);
  }

  /** "ip:port" of a DataNode's data transfer server, as location hints name it. */
  public String dataNodeAddress(int i) {
    return settings.dataNodeAddress(i);
  }

  /** Stops one DataNode: its connections drop, its files stay. */
  public void stopDataNode(int i) {
    dataNodes.get(i).shutdown();
  }

  /** Starts a stopped DataNode on its files and ports, and waits until it serves. */
  public void startDataNode(int i) throws IOException {
    dataNodes.set(i, SalusDataNode.start(settings.dataNode(i)));
    awaitReady();
  }

  /**
   * Stops all; the files stay. DataNodes stop at once, for one that still runs can hold up another
   * by the connections that they share (HADOOP-19986), and one that does not stop in time is left
   * behind: Hadoop would wait for its threads for ever.
   */
  public void stop() {
    EndingThreads.await(dataNodes.stream().map(EmbeddedHdfs::stop).toList(), STOP_NANOS);
    nameNode.stop();
    nameNode.join();
  }

  private static Thread stop(DataNode dataNode) {
    Thread thread =
        DaemonThreads.start(
            "stop of DataNode " + dataNode.getXferAddress(),
            () -> {
              try {
                dataNode.shutdown();
              } catch (IllegalStateException processEnds) {
                LOG.debug(
                    "Hadoop cannot take its shutdown hook back while the process ends",
                    processEnds);
              }
            });
    return thread;
  }

  @Override
  public void close() {
    stop();
  }
}
