package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message.StatusQuery;
import org.salus.dist.data.TemporaryDirectory;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.salus.host.FaultHandler;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameHandler;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.Loops;
import org.salus.host.netty.Peers;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.VolumeRecord;
import picocli.CommandLine;

/**
 * Does what short commands do, without a cluster, so that {@code bin/salus} can archive the classes
 * that they load (the JVM's class data sharing). With the archive a command starts in half the
 * time.
 */
final class StartupRehearsal {
  private static final String HERE = "127.0.0.1";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String CONF =
      "<?xml version=\"1.0\"?><configuration><property><name>salus.secret</name><value>x</value></property></configuration>";
  private static final String VOLUME = "rehearsal";

  private StartupRehearsal() {}

  /**
   * Runs the rehearsal. A failure ends it with an exception; then there is no archive, and commands
   * start slowly.
   */
  public static void main(String[] none) throws Exception {
    try (TemporaryDirectory temporary = TemporaryDirectory.create("salus-rehearsal");
        ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(HERE))) {
      Path dir = temporary.path();
      int port = free.getLocalPort();
      free.close();
      try (EmbeddedZooKeeper server =
          EmbeddedZooKeeper.start(
              dir.resolve("zookeeper"), new InetSocketAddress(HERE, port), false)) {
        Logging.errors(false);
        askVolumes(HERE + ":" + port, Files.writeString(dir.resolve("conf.xml"), CONF));
        sendOneMessage();
        if (!server.isRunning()) {
          throw new IOException("ZooKeeper ended");
        }
      }
    }
    System.exit(0);
  }

  private static void askVolumes(String zookeeper, Path conf) throws Exception {
    try (ClusterStore store = ClusterStore.connect(zookeeper, PATIENCE, PATIENCE)) {
      VolumeSpec spec =
          new VolumeSpec(VOLUME, 1, VolumeSpec.MIN_BLOCK, 1, 1, false, VolumeSpec.MAX_SEGMENT);
      store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
    }
    for (List<String> command :
        List.of(
            List.of("--help"),
            List.of("volume", "list", "--zookeeper", zookeeper, "--conf", conf.toString()),
            List.of("volume", "list", "--json", "--zookeeper", zookeeper),
            List.of("volume", "info", VOLUME, "--zookeeper", zookeeper))) {
      CommandLine line = Salus.commandLine();
      line.setOut(new PrintWriter(Writer.nullWriter()));
      if (line.execute(command.toArray(String[]::new)) != 0) {
        throw new IOException(command + " fails");
      }
    }
  }

  /** Sends one message to a server that reads one byte of it. */
  private static void sendOneMessage() throws IOException {
    FrameHandler handler =
        new FrameHandler() {
          @Override
          public void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {}
        };
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(HERE));
        Loops loops = new Loops("salus-client", 1, FaultHandler.stopping("client", () -> {}));
        Peers peers =
            new Peers(
                loops,
                node -> (InetSocketAddress) server.getLocalSocketAddress(),
                handler,
                FrameOptions.DEFAULT,
                Peers.Retry.DEFAULT)) {
      server.setSoTimeout((int) PATIENCE.toMillis());
      Envelope message =
          new Envelope(
              new Endpoint.Session(1, -1),
              new Endpoint.Member(new RegionId(1, 0), 0),
              new StatusQuery(0));
      peers.send(VOLUME, ByteBuffer.wrap(message.encode(new Signer(new byte[0]))), null, null);
      try (Socket from = server.accept()) {
        from.getInputStream().read();
      }
    }
  }
}
