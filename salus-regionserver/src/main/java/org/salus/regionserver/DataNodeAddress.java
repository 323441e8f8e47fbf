package org.salus.regionserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where the DataNode of a server's machine is, as the NameNode names it: by address, not name. */
final class DataNodeAddress {
  /** HDFS' usual data port. */
  private static final int USUAL_PORT = 9866;

  private DataNodeAddress() {}

  /**
   * Returns ip:port.
   *
   * @param configured the setting, as host:port, or an empty text
   * @param host the name or address of the server, whose machine it is if nothing is configured
   * @throws IOException if the setting is no host:port, or nobody knows the host
   */
  static String of(String configured, String host) throws IOException {
    String all = configured.isEmpty() ? host + ":" + USUAL_PORT : configured;
    int colon = all.lastIndexOf(':');
    String port = all.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}")) {
      throw new IOException("salus.server.datanode is no host:port: " + all);
    }
    try {
      return InetAddress.getByName(all.substring(0, colon)).getHostAddress() + ":" + port;
    } catch (UnknownHostException e) {
      throw new IOException(
          "nobody knows the address of the DataNode " + all + ": set salus.server.datanode", e);
    }
  }
}
