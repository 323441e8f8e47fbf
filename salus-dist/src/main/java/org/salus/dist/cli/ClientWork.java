package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import org.salus.client.SalusClient;
import org.salus.host.DaemonThreads;

/** The work of a command with a connected client. */
interface ClientWork {
  /**
   * Does the work and prints what it finds.
   *
   * @throws IOException when output is lost
   */
  void run(SalusClient client, PrintWriter out) throws IOException;

  /** Connects, does the work, and writes out what it has printed. */
  static void run(ClientWork work, ClusterOptions cluster, boolean verbose, PrintWriter out)
      throws IOException {
    Logging.errors(verbose);
    SalusClient client = cluster.connect();
    try {
      work.run(client, out);
    } finally {
      closeSoon(client);
    }
    Output.flush(out);
  }

  /**
   * Closes the client, but waits only for ZooKeeper to be told. ZooKeeper's client then sleeps for
   * 100 ms, which a user should not wait for.
   */
  private static void closeSoon(SalusClient client) {
    Thread closing = DaemonThreads.start("salus-close", client::close);
    try {
      closing.join(30);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
    }
  }
}
