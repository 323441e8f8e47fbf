package org.salus.benchmarks.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.nbd.NbdUri;
import org.salus.client.SalusClient;
import org.salus.dist.cli.ExportedVolumes;
import org.salus.dist.cli.HostPort;
import org.salus.dist.cli.Logging;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.nbd.netty.NbdServer;

/**
 * A cluster with one fresh volume, served by NBD, for one benchmark. It is the cluster of {@code
 * salus standalone}.
 */
final class BenchCluster implements AutoCloseable {
  private static final int SERVERS = 4;
  private static final String VOLUME = "bench";
  private static final long SIZE = 8L << 30;

  private final Path dir;
  private final Consumer<String> progress;
  private final ExportedVolumes volumes = new ExportedVolumes();
  private EmbeddedCluster cluster;
  private SalusClient client;
  private NbdServer server;
  private boolean closed;

  BenchCluster(Path dir, Consumer<String> progress) {
    this.dir = dir;
    this.progress = progress;
  }

  /** Starts the cluster. Its logs go below the directory. */
  NbdUri start(boolean verbose) throws IOException {
    Logging.toDirectory(dir.resolve("logs"), verbose);
    EmbeddedCluster started = EmbeddedCluster.start(dir, SERVERS, Map.of(), progress);
    synchronized (this) {
      cluster = started;
      if (closed) {
        cluster.stop();
        throw new IOException("stopped");
      }
      client = SalusClient.connect(Map.of("salus.zookeeper.quorum", started.zookeeper()));
    }
    progress.accept("making a volume");
    client.create(VOLUME, SIZE, SalusClient.CreateOptions.DEFAULT);
    volumes.open(client, VOLUME, false, ExportedVolumes.address(new HostPort("127.0.0.1", 0)));
    synchronized (this) {
      server = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), volumes);
    }
    return NbdUri.parse("nbd://127.0.0.1:" + server.port() + "/" + VOLUME);
  }

  /** Stops the cluster. Idempotent; any thread may call it. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (server != null) {
      server.close();
    }
    volumes.close();
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      progress.accept("stopping the cluster");
      cluster.stop();
    }
  }
}
