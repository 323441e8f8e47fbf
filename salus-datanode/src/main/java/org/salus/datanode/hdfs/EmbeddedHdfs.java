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
 * A certificate-checking NameNode and some DataNodes in this process. Each DataNode has a loopback
 * address of its own. A later start on the same directory has the same ports and the same data. For
 * one thread.
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
   * Starts all servers and returns when all DataNodes can take HDFS blocks.
   *
   * @param dir holds the data and the ports
   * @param dataNodes the number of DataNodes
   * @param base more settings; they override nothing of {@link HdfsSettings}
   * @throws IOException when HDFS is not ready after 60 s
   */
  public static EmbeddedHdfs start(Path dir, int dataNodes, Configuration base) throws IOException {
    return start(dir, dataNodes, base, SalusNameNode::start);
  }

  /** The start of a NameNode. */
  interface NameNodeStart {
    NameNode start(Configuration conf) throws IOException;
  }

  /** Same as the other start, with another NameNode. */
  static EmbeddedHdfs start(
      Path dir, int dataNodes, Configuration base, NameNodeStart nameNodeStart) throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    HdfsSettings settings = HdfsSettings.of(dir, ServerAddresses.LOOPBACK, dataNodes, base);
    EmbeddedHdfs hdfs = new EmbeddedHdfs(settings, nameNodeStart.start(settings.nameNode()));
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

  NameNode nameNode() {
    return nameNode;
  }

  /** The configuration for clients. */
  public Configuration conf() {
    return settings.nameNode();
  }

  /** The NameNode's address for {@code fs.defaultFS}. */
  public URI nameNodeUri() {
    return settings.nameNodeUri();
  }

  /** The configuration of a DataNode, also for clients on its machine. */
  public Configuration dataNodeConf(int i) {
    return settings.dataNode(i);
  }

  /** Returns "ip:port" of a DataNode's data transfer server, as location hints name it. */
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
   * Stops all servers; the files stay. All DataNodes stop at the same time, because a running one
   * can hold up another by connections that they share (HADOOP-19986). A DataNode that has not
   * stopped after 10 s is left behind, because Hadoop would wait for its threads for ever.
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
